// Blocks as one page that needs nothing else: its own style, pictures inside, no script, no request.
import { escapeMarkup } from '../../escapeMarkup.ts';
import type { Block } from './blocks.ts';

export function htmlOf(title: string, blocks: readonly Block[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>${escapeMarkup(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${blocks.map(write).join('\n')}
</main>
</body>
</html>
`;
}

function write(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `<h1>${escapeMarkup(block.text)}</h1>`;
    case 'heading': {
      const chips = block.chips.map((chip) => `<span class="chip">${escapeMarkup(chip)}</span>`).join(' ');
      return `${block.text === '' ? '' : `<h2>${escapeMarkup(block.text)}</h2>`}<p class="chips">${chips}</p>`;
    }
    case 'markdown':
      return `<pre class="markdown">${escapeMarkup(block.text)}</pre>`;
    case 'code': {
      const title = block.title === null ? '' : `<figcaption>${escapeMarkup(block.title)}</figcaption>`;
      return `<figure>${title}<pre><code>${highlighted(block.text, block.language)}</code></pre></figure>`;
    }
    case 'image':
      return `<figure><img src="${escapeMarkup(block.url)}" alt="Output"></figure>`;
    case 'table':
      return tableOf(block);
    case 'note':
      return `<p class="note">${escapeMarkup(block.text)}</p>`;
  }
}

function tableOf({ columns, rows, total }: Extract<Block, { kind: 'table' }>): string {
  const head = columns.map((name) => `<th scope="col">${escapeMarkup(name)}</th>`).join('');
  const shown = rows.slice(0, 20);
  const body = shown
    .map((row) => `<tr>${row.map((value) => `<td>${escapeMarkup(shortened(value))}</td>`).join('')}</tr>`)
    .join('\n');
  const more = total > shown.length ? `<p class="note">…showing ${shown.length} of ${total} rows</p>` : '';
  return `<div class="table"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${more}`;
}

const shortened = (value: unknown): string =>
  typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value ?? '');

const keywords =
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield None True False';
const sqlWords =
  'select from where group by order having join left right inner on as and or not insert update delete create table with limit union';
const patterns: Readonly<Record<string, RegExp>> = {
  python: tokens('#[^\\n]*', keywords),
  r: tokens('#[^\\n]*', 'function if else for while repeat return TRUE FALSE NULL NA in next break'),
  sql: tokens('--[^\\n]*|#[^\\n]*', `${sqlWords} ${sqlWords.toUpperCase()}`),
};

function tokens(comment: string, words: string): RegExp {
  const strings = '"""[\\s\\S]*?"""|\'\'\'[\\s\\S]*?\'\'\'|"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'';
  return new RegExp(
    `(?<comment>${comment})|(?<string>${strings})|(?<word>\\b(?:${words.split(' ').join('|')})\\b)`,
    'g',
  );
}

function highlighted(text: string, language: string): string {
  const pattern = patterns[language];
  if (!pattern) return escapeMarkup(text);
  let done = 0;
  let html = '';
  for (const match of text.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? '';
    html += `${escapeMarkup(text.slice(done, match.index))}<span class="${kind}">${escapeMarkup(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return html + escapeMarkup(text.slice(done));
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c1e21, #e4e6ea); --soft: light-dark(#5b616b, #9aa1ac); --paper: light-dark(#fff, #15171a); --panel: light-dark(#f6f7f9, #1e2126); --line: light-dark(#e1e4e8, #30343b); --accent: light-dark(#1f5fbf, #7fb0ff); --string: light-dark(#0b6b3a, #7fd6a4); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .25rem; }
pre { font: 13.5px/1.5 ui-monospace, monospace; overflow-x: auto; margin: 0; }
figure { margin: .5rem 0; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto; }
figcaption { font-size: .75rem; color: var(--soft); margin-bottom: .4rem; }
.markdown { white-space: pre-wrap; font-family: inherit; font-size: 1rem; margin: 1rem 0; }
.chips { margin: 0 0 .5rem; } .chip { font-size: .75rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .5rem; }
.note { color: var(--soft); font-size: .9rem; }
img { max-width: 100%; height: auto; background: #fff; }
.table { overflow-x: auto; margin: .5rem 0; } table { border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; }
.word { color: var(--accent); } .string { color: var(--string); } .comment { color: var(--soft); font-style: italic; }
`;
