// Blocks as one page that needs nothing else: its own style, pictures and charts inside, no request. It holds a script only
// where it holds something that acts: charts, and outputs that are pages of their own, which stay in frames of theirs.
import type { ChartScript } from '../../charts.ts';
import { elsewhereInWords, hostsNeeded } from '../../elsewhere.ts';
import { escapeMarkup } from '../../escapeMarkup.ts';
import { hostsOfWidgets } from '../../widgetPage.ts';
import type { WidgetView } from '../../widgetView.ts';
import { type Block, type ChartBlock, inOneColumn, type ShownBlock } from './blocks.ts';
import { cellText } from './cellText.ts';
import { chartSource, widgetSource } from './chartSources.ts';
import { highlighted } from './highlight.ts';
import { drawing, fitting, framed, policyOf, style, widgetFrames } from './htmlParts.ts';
import { type PageText, renderBeside } from './renderBeside.ts';

export async function htmlOf(title: string, blocks: readonly Block[]): Promise<string> {
  const shown = inOneColumn(blocks);
  const rendered = await renderedOf(shown);
  const scripts = await scriptsFor(shown);
  const widgets = shown.some(({ kind }) => kind === 'widget') ? await widgetSource() : null;
  const hasFrames = widgets !== null || shown.some(({ kind }) => kind === 'page');
  const code = [
    ...[...scripts.values(), ...(scripts.size > 0 ? [drawing] : [])].map((text) => `<script>${text}</script>`),
    ...(widgets === null
      ? []
      : [`<script type="text/plain" id="shows-widgets">${widgets}</script><script>${widgetFrames}</script>`]),
  ];
  const hasAside = blocks.some(({ kind }) => kind === 'aside');
  const hasSources = shown.some(({ kind }) => kind === 'source');
  const write = (block: ShownBlock): string =>
    block.kind === 'widget' ? widgetOf(block.view, widgets !== null) : written(block, rendered, scripts);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policyOf(new Set(scripts.keys()), hasFrames)}">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
${hasFrames ? `<script>${fitting}</script>` : ''}
</head>
<body>
<main${hasAside ? ' class="with-aside"' : ''}>
${hasSources ? '<label class="switch"><input type="checkbox" id="sources" checked> Code</label>' : ''}
${arranged(blocks, write)}
</main>
${code.join('\n')}
</body>
</html>
`;
}

/** Where each block stands; a page without a word about that is one column. */
function arranged(blocks: readonly Block[], write: (block: ShownBlock) => string): string {
  let sets = 0;
  const inside = (parts: readonly Block[]): string => `<div class="grid">${parts.map(place).join('\n')}</div>`;
  function place(block: Block): string {
    switch (block.kind) {
      case 'aside':
        return `<aside>${block.blocks.map(place).join('\n')}</aside>`;
      case 'part':
        return `<div class="part" style="--width: ${block.width}">${block.blocks.map(place).join('\n')}</div>`;
      case 'tabs':
        sets += 1;
        return tabsOf(block.tabs, `tabs-${sets}`, inside);
      default:
        return write(block);
    }
  }
  const isPlaced = blocks.some(({ kind }) => kind === 'part' || kind === 'tabs');
  const asides = blocks.filter(({ kind }) => kind === 'aside');
  const rest = blocks.filter(({ kind }) => kind !== 'aside');
  return [...asides.map(place), isPlaced ? inside(rest) : rest.map(place).join('\n')].join('\n');
}

/** Tabs that need no script; on paper, all of them with their names. */
function tabsOf(
  tabs: Extract<Block, { kind: 'tabs' }>['tabs'],
  set: string,
  inside: (blocks: readonly Block[]) => string,
): string {
  const choices = tabs.map(
    ({ name }, at) =>
      `<label><input type="radio" name="${set}" value="${at}"${at === 0 ? ' checked' : ''}> ${escapeMarkup(name)}</label>`,
  );
  const panels = tabs.map(
    ({ name, blocks }) =>
      `<section aria-label="${escapeMarkup(name)}"><h2 class="tab-name">${escapeMarkup(name)}</h2>${inside(blocks)}</section>`,
  );
  const shows = tabs.map(
    (_, at) => `#${set}:has(> .tab-names [value="${at}"]:checked) > section:nth-of-type(${at + 1})`,
  );
  const rule = `${shows.join(', ')} { position: static; height: auto; overflow: visible; visibility: visible; }`;
  return `<style>${rule}</style><div class="tabs" id="${set}"><div class="tab-names">${choices.join('')}</div>${panels.join('\n')}</div>`;
}

/** HTML of Markdown and formulas, by their text. */
type Rendered = Readonly<Record<PageText['kind'], ReadonlyMap<string, string | null>>>;

async function renderedOf(blocks: readonly ShownBlock[]): Promise<Rendered> {
  const texts = blocks.filter((block) => block.kind === 'markdown' || block.kind === 'formula');
  const html = await renderBeside(texts);
  const ofKind = (kind: PageText['kind']): ReadonlyMap<string, string | null> =>
    new Map(texts.flatMap((one, at) => (one.kind === kind ? [[one.text, html[at] ?? null]] : [])));
  return { markdown: ofKind('markdown'), formula: ofKind('formula') };
}

type Scripts = ReadonlyMap<ChartScript, string>;

async function scriptsFor(blocks: readonly ShownBlock[]): Promise<Scripts> {
  const needed = blocks.flatMap((block) =>
    block.kind === 'chart' && 'script' in block.drawing ? [block.drawing.script] : [],
  );
  const found = new Map<ChartScript, string>();
  for (const script of new Set(needed)) {
    const source = await chartSource(script);
    if (source !== null) found.set(script, source);
  }
  return found;
}

const plainText = (title: string, text: string): string =>
  `<figure class="text"><figcaption>${escapeMarkup(title)}</figcaption><pre>${escapeMarkup(text)}</pre></figure>`;

function renderedText({ kind, text }: PageText, rendered: Rendered): string {
  const html = rendered[kind].get(text) ?? null;
  return html === null
    ? plainText('as it was written, since it takes too long to be drawn', text)
    : `<div class="${kind}">${html}</div>`;
}

function written(block: Exclude<ShownBlock, { kind: 'widget' }>, rendered: Rendered, scripts: Scripts): string {
  switch (block.kind) {
    case 'title':
      return `<h1>${escapeMarkup(block.text)}</h1>`;
    case 'heading': {
      const chips = block.chips.map((chip) => `<span class="chip">${escapeMarkup(chip)}</span>`).join(' ');
      return `${block.text === '' ? '' : `<h2>${escapeMarkup(block.text)}</h2>`}<p class="chips">${chips}</p>`;
    }
    case 'markdown':
    case 'formula':
      return renderedText(block, rendered);
    case 'source':
      return `<details class="source" open><summary>Code</summary><pre tabindex="0"><code>${highlighted(block.text, block.language)}</code></pre></details>`;
    case 'text':
      return plainText(block.title, block.text);
    case 'image':
      return `<figure><img src="${escapeMarkup(block.url)}" alt="Output"></figure>`;
    case 'page':
      return frameOf(block.html);
    case 'chart':
      return chartOf(block, scripts);
    case 'table':
      return tableOf(block);
    case 'touched':
      return `<details class="touched"><summary>This cell ${escapeMarkup(block.words)}</summary><ul>${block.names.map((names) => `<li>${escapeMarkup(names)}</li>`).join('')}</ul></details>`;
    case 'note':
      return noteOf(block.text);
  }
}

const noteOf = (text: string): string => `<p class="note">${escapeMarkup(text)}</p>`;

function frameOf(html: string): string {
  const hosts = hostsNeeded(html);
  const note = hosts.length === 0 ? '' : noteOf(elsewhereInWords(hosts));
  return `${note}<figure><iframe title="Output" sandbox="allow-scripts" srcdoc="${escapeMarkup(framed(html))}"></iframe></figure>`;
}

const missing = 'what draws it is missing on the server. Build the web app (npm run build:web), then export again.';

function widgetOf(view: WidgetView, canAct: boolean): string {
  if (!canAct) return noteOf(`A widget, ${view.text}: ${missing}`);
  const hosts = hostsOfWidgets(view);
  const note = hosts.length === 0 ? '' : noteOf(elsewhereInWords(hosts));
  const heard = view.is_heard
    ? noteOf('These controls act on this page alone: code of the notebook does not hear of them.')
    : '';
  // Data in a script element ends with it: no sign in it may begin a tag.
  const data = JSON.stringify(view).replaceAll('<', '\\u003c');
  return `${note}<figure><iframe title="${escapeMarkup(view.text)}" sandbox="allow-scripts" data-widget></iframe><script type="application/json">${data}</script></figure>${heard}`;
}

function chartOf({ drawing: how, json, words }: ChartBlock, scripts: Scripts): string {
  if ('refused' in how) return noteOf(`${words}: ${how.refused}`);
  if (!scripts.has(how.script)) return noteOf(`${words}: ${missing}`);
  // Data in a script element ends with it: no sign in it may begin a tag.
  const data = json.replaceAll('<', '\\u003c');
  return `<figure class="chart" tabindex="0" aria-label="${escapeMarkup(words)}"><div data-chart="${how.script}"></div><script type="application/json">${data}</script></figure>`;
}

function tableOf({ columns, rows, total }: Extract<ShownBlock, { kind: 'table' }>): string {
  const numbers = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const kind = (at: number): string => (numbers[at] ? ' class="number"' : '');
  const head = columns.map((name, at) => `<th scope="col"${kind(at)}>${escapeMarkup(name)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((value, at) => `<td${kind(at)}>${escapeMarkup(cellText(value))}</td>`).join('')}</tr>`)
    .join('\n');
  const more = total > rows.length ? noteOf(`…showing ${rows.length} of ${total} rows`) : '';
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${more}`;
}
