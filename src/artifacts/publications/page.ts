// The public page of a publication, its card for other pages and its badge: whole documents that load nothing else.
import { escapeMarkup } from '../../escapeMarkup.ts';
import { artifactUri } from '../types.ts';
import { crateOf, externalUrl, type Links, titleOf } from './crate.ts';
import { html, jsonMarkup, type Markup } from './html.ts';
import type { Story } from './story.ts';

/** What the page shows of the result itself. */
export type Preview =
  | { readonly kind: 'image'; readonly dataUrl: string }
  | { readonly kind: 'text'; readonly text: string; readonly cut: boolean }
  | {
      readonly kind: 'table';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly string[])[];
      readonly total: number | null;
    }
  | { readonly kind: 'none' };

const style: Markup = {
  markup: `<style>
:root{color-scheme:light dark;--ink:#1b1f24;--faint:#57606a;--line:#d0d7de;--page:#fff;--soft:#f6f8fa;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#9198a1;--line:#3d444d;--page:#0d1117;--soft:#151b23;--link:#6cb6ff}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.25rem 0 .75rem}
p{margin:.5rem 0}a{color:var(--link)}.faint{color:var(--faint)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1.25rem;margin:0}
dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow:auto}
img{max-width:100%;height:auto}figure{margin:1.5rem 0}figcaption{color:var(--faint);font-size:.875rem}
.scroll{overflow:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;font-size:.875rem;width:100%}
th,td{padding:.35rem .75rem;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}
thead th{background:var(--soft)}li{margin:.25rem 0;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
</style>`,
};

const document = (title: string, head: Markup, body: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}
${style}
</head>
<body>
${body}
</body>
</html>
`.markup;

const moment = (seconds: number): Markup => {
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
};

export const withdrawnPage = (title: string | null, revokedAt: number): string =>
  document(
    'Withdrawn',
    html``,
    html`<main>
<h1>Withdrawn</h1>
<p>${title ?? 'This publication'} was withdrawn on ${moment(revokedAt)}. Its data is no longer served here.</p>
</main>`,
  );

export function publicationPage(story: Story, links: Links, preview: Preview): string {
  const { publication, version, contentType, source, lineage } = story;
  const title = titleOf(story);
  const authors = publication.authors.map(({ name }) => name).join(', ');
  const date = new Date(publication.publishedAt * 1000).toISOString().slice(0, 10);
  return document(
    title,
    html`<link rel="alternate" type="application/json+oembed" href="${links.oembed}" title="${title}">
<script type="application/ld+json">${jsonMarkup(crateOf(story, links))}</script>`,
    html`<main>
<header>
<h1>${title}</h1>
<p class="faint">Published ${moment(publication.publishedAt)}${authors && html` by ${authors}`}</p>
</header>
${previewOf(preview, title)}
<section aria-labelledby="about">
<h2 id="about">About this artifact</h2>
<dl>
${fact('Artifact', html`<code>${artifactUri(version)}</code>`)}
${fact('Type', contentType || 'bytes')}
${fact('Produced', moment(version.createdAt))}
${version.principal !== null && fact('By', version.principal)}
${fact('Provenance', html`<code>${version.provenanceHash}</code>`)}
${fact('SHA-256', html`<code>${version.contentSha256 ?? 'not recorded'}</code>`)}
${fact('Size', `${version.byteSize ?? 0} bytes`)}
${version.rowCount !== null && fact('Rows', version.rowCount)}
${publication.authors.map(({ name, orcid, affiliation }) =>
  fact(
    'Author',
    html`${name}${affiliation && `, ${affiliation}`}${orcid && html` (<a href="https://orcid.org/${orcid}">ORCID ${orcid}</a>)`}`,
  ),
)}
${publication.externalIds.map((id) => fact(id.scheme.toUpperCase(), externalLink(id)))}
</dl>
<p><a href="${links.data}">Download the data</a> · <a href="${links.verify}">Verify it</a> ·
<a href="${links.archive}">Archive (zip)</a> · <a href="${links.crate}">RO-Crate</a></p>
<p class="faint">This page shows what was recorded when the result was stored. It vouches for the bytes and for the
recorded steps, not for the conclusions, and nobody has repeated the computation for it.</p>
</section>
${source !== '' && html`<section aria-labelledby="code"><h2 id="code">Code of the last step</h2><pre tabindex="0"><code>${source}</code></pre></section>`}
<section aria-labelledby="inputs">
<h2 id="inputs">How it came about</h2>
<ol>
${lineage.nodes.map(
  ({ uri, type, transform_ref }) =>
    html`<li><code>${uri}</code> <span class="faint">${transform_ref ?? type}</span></li>`,
)}
</ol>
</section>
<section aria-labelledby="cite">
<h2 id="cite">Cite and share</h2>
<p>${authors ? `${authors} ` : ''}(${date.slice(0, 4)}). <cite>${title}</cite>. ${links.page}</p>
<pre tabindex="0">[![provenance](${links.badge})](${links.page})</pre>
<pre tabindex="0">${`<iframe src="${links.embed}" width="480" height="420" title="${escapeMarkup(title)}"></iframe>`}</pre>
</section>
</main>`,
  );
}

const fact = (name: string, value: Markup | string | number): Markup => html`<dt>${name}</dt><dd>${value}</dd>`;

function externalLink(id: { scheme: string; value: string }): Markup {
  const url = externalUrl(id);
  return url === '' ? html`${id.value}` : html`<a href="${url}" rel="noopener nofollow">${id.value}</a>`;
}

function previewOf(preview: Preview, title: string): Markup {
  switch (preview.kind) {
    case 'image':
      return html`<figure><img src="${preview.dataUrl}" alt="${title}"></figure>`;
    case 'text':
      return html`<figure><pre tabindex="0">${preview.text}</pre>${preview.cut && html`<figcaption>The beginning; the whole is in the data.</figcaption>`}</figure>`;
    case 'table':
      return html`<figure><div class="scroll" tabindex="0" role="region" aria-label="First rows"><table>
<thead><tr>${preview.columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${preview.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div><figcaption>${preview.rows.length} of ${preview.total ?? preview.rows.length} rows</figcaption></figure>`;
    case 'none':
      return html``;
  }
}

export function embedCard(story: Story, links: Links, preview: Preview): string {
  const title = titleOf(story);
  return document(
    title,
    html``,
    html`<main>
<h1><a href="${links.page}" target="_blank" rel="noopener">${title}</a></h1>
<p class="faint">${story.lineage.nodes.length} recorded steps · ${moment(story.publication.publishedAt)}</p>
${previewOf(preview, title)}
</main>`,
  );
}

/** Two words beside each other: what it is about, and what is said of it. */
export function badge(text: string, withdrawn: boolean): string {
  const [left, right] = ['provenance', withdrawn ? 'withdrawn' : text];
  const widthOf = (word: string): number => word.length * 7 + 14;
  const [first, second] = [widthOf(left), widthOf(right)];
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="20" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<rect width="${first}" height="20" fill="#444c56"/><rect x="${first}" width="${second}" height="20" fill="${withdrawn ? '#8c4a0f' : '#1a6b3c'}"/>
<g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="7" y="14">${left}</text><text x="${first + 7}" y="14">${right}</text></g>
</svg>
`.markup;
}
