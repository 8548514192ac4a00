// Blocks as one page that needs nothing else: its own style, pictures and charts inside, no request. It holds a script only
// where it holds something that acts: charts, and outputs that are pages of their own, which stay in frames of theirs.
import type { ChartScript } from '../../charts.ts';
import { elsewhereInWords, hostsNeeded } from '../../elsewhere.ts';
import { escapeMarkup } from '../../escapeMarkup.ts';
import { hostsOfWidgets } from '../../widgetPage.ts';
import type { WidgetView } from '../../widgetView.ts';
import type { Block, ChartBlock } from './blocks.ts';
import { cellText } from './cellText.ts';
import { chartSource, widgetSource } from './chartSources.ts';
import { highlighted } from './highlight.ts';
import { drawing, fitting, framed, policyOf, style, widgetFrames } from './htmlParts.ts';
import { openRenderer, type Renderer } from './renderMarkdown.ts';

export async function htmlOf(title: string, blocks: readonly Block[]): Promise<string> {
  const render = await openRenderer();
  const scripts = await scriptsFor(blocks);
  const widgets = blocks.some(({ kind }) => kind === 'widget') ? await widgetSource() : null;
  const hasFrames = widgets !== null || blocks.some(({ kind }) => kind === 'page');
  const code = [
    ...[...scripts.values(), ...(scripts.size > 0 ? [drawing] : [])].map((text) => `<script>${text}</script>`),
    ...(widgets === null
      ? []
      : [`<script type="text/plain" id="shows-widgets">${widgets}</script><script>${widgetFrames}</script>`]),
  ];
  const hasSources = blocks.some(({ kind }) => kind === 'source');
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
<main>
${hasSources ? '<label class="switch"><input type="checkbox" id="sources" checked> Code</label>' : ''}
${blocks.map((block) => (block.kind === 'widget' ? widgetOf(block.view, widgets !== null) : write(block, render, scripts))).join('\n')}
</main>
${code.join('\n')}
</body>
</html>
`;
}

type Scripts = ReadonlyMap<ChartScript, string>;

async function scriptsFor(blocks: readonly Block[]): Promise<Scripts> {
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

function write(block: Exclude<Block, { kind: 'widget' }>, render: Renderer, scripts: Scripts): string {
  switch (block.kind) {
    case 'title':
      return `<h1>${escapeMarkup(block.text)}</h1>`;
    case 'heading': {
      const chips = block.chips.map((chip) => `<span class="chip">${escapeMarkup(chip)}</span>`).join(' ');
      return `${block.text === '' ? '' : `<h2>${escapeMarkup(block.text)}</h2>`}<p class="chips">${chips}</p>`;
    }
    case 'markdown':
      return `<div class="markdown">${render.markdown(block.text)}</div>`;
    case 'source':
      return `<details class="source" open><summary>Code</summary><pre tabindex="0"><code>${highlighted(block.text, block.language)}</code></pre></details>`;
    case 'text':
      return `<figure class="text"><figcaption>${escapeMarkup(block.title)}</figcaption><pre>${escapeMarkup(block.text)}</pre></figure>`;
    case 'formula':
      return `<div class="formula">${render.latex(block.text)}</div>`;
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

function tableOf({ columns, rows, total }: Extract<Block, { kind: 'table' }>): string {
  const numbers = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  const kind = (at: number): string => (numbers[at] ? ' class="number"' : '');
  const head = columns.map((name, at) => `<th scope="col"${kind(at)}>${escapeMarkup(name)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((value, at) => `<td${kind(at)}>${escapeMarkup(cellText(value))}</td>`).join('')}</tr>`)
    .join('\n');
  const more = total > rows.length ? noteOf(`…showing ${rows.length} of ${total} rows`) : '';
  return `<div class="table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${more}`;
}
