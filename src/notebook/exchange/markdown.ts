// Blocks as one Markdown file. What users wrote cannot bring in HTML or scripts of its own, and a fence is longer than any
// inside it.
import type { Block } from './blocks.ts';

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
    case 'code':
      return fenced(block.text, block.title === null ? block.language : `${block.language} title="${block.title}"`);
    case 'image':
      return `<img src="${block.url}" alt="Output">`;
    case 'table':
      return tableOf(block);
    case 'note':
      return `> ${oneLine(block.text)}`;
  }
}

const oneLine = (text: string): string => harmless(text.replace(/\s+/g, ' ').trim());

function fenced(text: string, info: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}

/** Tags and addresses that run something are made text. */
function harmless(text: string): string {
  return text
    .replace(/<(?=[A-Za-z/!?])/g, '&lt;')
    .replace(/(\]\(\s*|^\s*\[[^\]]*\]:\s*)(javascript|vbscript|data):/gim, '$1unsafe-$2:');
}

function tableOf({ columns, rows, total }: Extract<Block, { kind: 'table' }>): string {
  const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const shown = rows.slice(0, 20);
  const more = total > shown.length ? [`\n…showing ${shown.length} of ${total} rows`] : [];
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...shown.map(line), ...more].join('\n');
}

export function cell(value: unknown): string {
  const text =
    typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value ?? '');
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ').replaceAll('<', '&lt;');
}
