// Blocks as one Markdown file. What users wrote cannot bring in HTML or scripts of its own, and a fence is longer than any
// inside it.
import { formulaOf } from '../../formula.ts';
import { type Block, type ChartBlock, inOneColumn, type ShownBlock } from './blocks.ts';
import { cellText } from './cellText.ts';
import { openChartPictures } from './chartPictures.ts';
import { type Plain, plainHtml } from './plainHtml.ts';
import { traceTables } from './plotlyTraces.ts';

export async function markdownOf(blocks: readonly Block[]): Promise<string> {
  await using pictures = openChartPictures();
  const written: string[] = [];
  for (const block of inOneColumn(blocks))
    written.push(block.kind === 'chart' ? chartOf(block, await pictures.draw(block)) : write(block));
  return `${written.join('\n\n')}\n`;
}

function write(block: Exclude<ShownBlock, ChartBlock>): string {
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
    case 'widget':
      return `> A widget, \`${oneLine(block.view.text).replaceAll('`', "'")}\`: it is drawn in the HTML export.`;
    case 'image':
      return `![Output](${block.url})`;
    case 'table':
      return tableOf(block);
    case 'touched':
      return [`> This cell ${oneLine(block.words)}.`, ...block.names.map((names) => `> - ${oneLine(names)}`)].join(
        '\n',
      );
    case 'note':
      return `> ${oneLine(block.text)}`;
  }
}

/** A picture where there is one to be had; else the data that it shows. */
function chartOf({ type, json, words, drawing }: ChartBlock, svg: string | null): string {
  const isFigure = /\.plotly\./.test(type);
  if (svg !== null) {
    const picture = `![${oneLine(words).replace(/[[\]\\]/g, '')}](data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')})`;
    return isFigure ? `${picture}\n\n> Drawn from the figure's data: the HTML export has the figure itself.` : picture;
  }
  const where = 'refused' in drawing ? oneLine(drawing.refused) : 'it is drawn in the HTML export.';
  const tables = isFigure ? traceTables(JSON.parse(json)) : [];
  return [
    `> ${oneLine(words)}: ${where}${tables.length === 0 ? '' : ' These are its data.'}`,
    ...tables.flatMap((table) => [`**${oneLine(table.title)}**`, tableOf(table)]),
  ].join('\n\n');
}

const tagBegins = /<(?=[A-Za-z/!?])/g;

const oneLine = (text: string): string => harmless(text.replace(/\s+/g, ' ').trim());

function fenced(text: string, info: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}

/** Tags and addresses that run something are made text; pictures that come as data stay. */
export function harmless(text: string): string {
  return text
    .replace(tagBegins, '&lt;')
    .replace(
      /(\]\(\s*|^[ \t]*\[(?:[^\]\\]|\\[\s\S]){0,999}\]:\s*)(javascript|vbscript|data(?!:image\/(?!svg))):/gim,
      '$1unsafe-$2:',
    );
}

function plain(part: Plain): string {
  if ('text' in part) return harmless(part.text);
  const [head = [], ...rows] = part.table;
  const width = Math.max(...part.table.map((row) => row.length));
  const padded = (row: readonly string[]): string[] => [...row, ...Array<string>(width - row.length).fill('')];
  return tableOf({ columns: padded(head), rows: rows.map(padded), total: rows.length });
}

function tableOf({ columns, rows, total }: Omit<Extract<ShownBlock, { kind: 'table' }>, 'kind'>): string {
  const line = (cells: readonly unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const more = total > rows.length ? [`\n…showing ${rows.length} of ${total} rows`] : [];
  return [line(columns), `|${columns.map(() => '---|').join('')}`, ...rows.map(line), ...more].join('\n');
}

const cell = (value: unknown): string =>
  cellText(value).replaceAll('|', '\\|').replace(/\s+/g, ' ').replaceAll('<', '&lt;');
