// Blocks as one Markdown file. What users wrote cannot bring in HTML or scripts of its own, and a fence is longer than any
// inside it.
import { formulaOf } from '../../formula.ts';
import type { Block } from './blocks.ts';
import { cellText } from './cellText.ts';
import { type Plain, plainHtml } from './plainHtml.ts';

export const markdownOf = (blocks: readonly Block[]): string => `${blocks.map(write).join('\n\n')}\n`;

function write(block: Block): string {
  switch (block.kind) {
    case 'title':
      return `# ${oneLine(block.text)}`;
    case 'heading': {
      const chips = block.chips.map((chip) => `\`${chip.replaceAll('`', "'")}\``).join(' ');
      return [block.text === '' ? '' : `## ${oneLine(block.text)}`, chips].filter(Boolean).join('\n\n');
    }
    case 'markdown':
      return harmless(block.text);
    case 'source':
      return fenced(block.text, block.language);
    case 'text':
      return fenced(block.text, `${block.language} title="${block.title}"`);
    case 'formula': {
      const formula = formulaOf(block.text);
      return formula === null ? harmless(block.text) : `$$\n${formula.trim().replace(tagBegins, '< ')}\n$$`;
    }
    case 'page':
      return (
        plainHtml(block.html).map(plain).join('\n\n') || '> An output that is drawn by a script: see the HTML export.'
      );
    case 'chart':
      return `> ${oneLine(block.words)}: it is drawn in the HTML export.`;
    case 'image':
      return `![Output](${block.url})`;
    case 'table':
      return tableOf(block);
    case 'note':
      return `> ${oneLine(block.text)}`;
  }
}

const tagBegins = /<(?=[A-Za-z/!?])/g;

const oneLine = (text: string): string => harmless(text.replace(/\s+/g, ' ').trim());

function fenced(text: string, info: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}

/** Tags and addresses that run something are made text; pictures that come as data stay. */
function harmless(text: string): string {
  return text
    .replace(tagBegins, '&lt;')
    .replace(/(\]\(\s*|^\s*\[[^\]]*\]:\s*)(javascript|vbscript|data(?!:image\/(?!svg))):/gim, '$1unsafe-$2:');
}

function plain(part: Plain): string {
  if ('text' in part) return harmless(part.text);
  const [head = [], ...rows] = part.table;
  const width = Math.max(...part.table.map((row) => row.length));
  const padded = (row: readonly string[]): string[] => [...row, ...Array<string>(width - row.length).fill('')];
  return tableOf({ columns: padded(head), rows: rows.map(padded), total: rows.length });
}

function tableOf({ columns, rows, total }: Omit<Extract<Block, { kind: 'table' }>, 'kind'>): string {
  const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const more = total > rows.length ? [`\n…showing ${rows.length} of ${total} rows`] : [];
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...rows.map(line), ...more].join('\n');
}

const cell = (value: unknown): string =>
  cellText(value).replaceAll('|', '\\|').replace(/\s+/g, ' ').replaceAll('<', '&lt;');
