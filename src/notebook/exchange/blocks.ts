// A notebook as a sequence of blocks to read: text, code, tables, pictures, charts. Markdown and HTML are two ways to write
// them.
import { appColumns, arrange, type Placed, withoutAppHints } from '../../appLayout.ts';
import { kindOf, languageFacts } from '../../cellLanguages.ts';
import { cellLabel } from '../../cellName.ts';
import { type Drawing, drawingOf, isChartType } from '../../charts.ts';
import type { CellRecord, CommentRecord } from '../../protocol/index.ts';
import { terminalText } from '../../terminalText.ts';
import { touchedByName, touchedInWords } from '../../touched.ts';
import { widgetType } from '../../widgetType.ts';
import { readWidgetView, type WidgetView } from '../../widgetView.ts';
import { bodyOf, parseAnnotations } from '../annotations/index.ts';
import { type ShownTable, shownTable } from './shownTable.ts';

export type ShownBlock =
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly chips: readonly string[] }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'source'; readonly language: string; readonly text: string }
  | { readonly kind: 'text'; readonly language: string; readonly title: string; readonly text: string }
  | { readonly kind: 'formula'; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | { readonly kind: 'page'; readonly html: string }
  | { readonly kind: 'widget'; readonly view: WidgetView }
  | ChartBlock
  | ({ readonly kind: 'table' } & ShownTable)
  | { readonly kind: 'touched'; readonly words: string; readonly names: readonly string[] }
  | { readonly kind: 'note'; readonly text: string };

/** What is shown, and where it stands on the page. */
export type Block =
  | ShownBlock
  | { readonly kind: 'aside'; readonly blocks: readonly Block[] }
  /** Beside others where the widths fit, in twelfths of the page. */
  | { readonly kind: 'part'; readonly width: number; readonly blocks: readonly Block[] }
  | { readonly kind: 'tabs'; readonly tabs: readonly { readonly name: string; readonly blocks: readonly Block[] }[] };

/** One after the other, where nothing can stand beside anything. */
export const inOneColumn = (blocks: readonly Block[]): ShownBlock[] =>
  blocks.flatMap((block): ShownBlock[] => {
    if ('blocks' in block) return inOneColumn(block.blocks);
    if (block.kind !== 'tabs') return [block];
    return block.tabs.flatMap(({ name, blocks }) => [
      { kind: 'heading', text: name, chips: [] },
      ...inOneColumn(blocks),
    ]);
  });

export interface ChartBlock {
  readonly kind: 'chart';
  readonly type: string;
  readonly drawing: Drawing;
  readonly json: string;
  /** What it is, in a few words. */
  readonly words: string;
}

export interface PageOptions {
  /** Only what a reader of the app sees: no sources, no consoles. */
  readonly appView: boolean;
  readonly inactiveVariants: boolean;
  /** What cells printed. */
  readonly console: boolean;
  /** What people said about cells. */
  readonly comments: boolean;
  /** A text beyond this is cut: a page is for reading. */
  readonly maxOutputBytes: number;
}

/** What fits on a page where nothing else is said. */
export const usualOutputBytes = 1024 * 1024;

/** Pictures, charts and pages are one thing to look at however large they are: they may be so many times longer. */
const richTimes = 32;

export interface PageSource {
  readonly name: string;
  /** The notebook's own introduction, when it has one. */
  readonly readme: string | null;
  readonly cells: readonly CellRecord[];
  readonly comments: readonly CommentRecord[];
}

export function blocksOf({ name, readme, cells, comments }: PageSource, options: PageOptions): Block[] {
  if (options.appView) return [{ kind: 'title', text: name }, ...appPage(cells, options)];
  const opening: Block =
    readme === null ? { kind: 'title', text: `Notebook: ${name}` } : { kind: 'markdown', text: readme };
  const blocks = cells.map((cell, place) =>
    cell.variant_active || options.inactiveVariants
      ? [...cellBlocks(cell, cellLabel(cell, place), options), ...saidBlocks(cell, comments)]
      : [],
  );
  return [opening, ...blocks.flat()];
}

function appPage(cells: readonly CellRecord[], options: PageOptions): Block[] {
  const parts = cells
    .filter((cell) => cell.variant_active)
    .map((cell) => ({ source: cell.source, blocks: appBlocks(cell, options) }))
    .filter(({ blocks }) => blocks.length > 0);
  const { aside, blocks } = arrange(parts, ({ source }) => source);
  const placed = ({ part, width }: Placed<{ readonly blocks: ShownBlock[] }>): Block[] =>
    width === appColumns ? part.blocks : [{ kind: 'part', width, blocks: part.blocks }];
  const page = blocks.flatMap((block): Block[] =>
    block.kind === 'part'
      ? placed(block)
      : [{ kind: 'tabs', tabs: block.tabs.map(({ name, parts }) => ({ name, blocks: parts.flatMap(placed) })) }],
  );
  return aside.length === 0 ? page : [{ kind: 'aside', blocks: aside.flatMap((part) => part.blocks) }, ...page];
}

function cellBlocks(cell: CellRecord, label: string, { console, maxOutputBytes }: PageOptions): ShownBlock[] {
  const printed = (title: string, content: string): ShownBlock[] =>
    content.trim() === '' ? [] : [text(title, content, maxOutputBytes)];
  if (kindOf(cell.language) === 'text') return [{ kind: 'markdown', text: withoutAppHints(cell.source).trim() }];
  const heading: ShownBlock = { kind: 'heading', text: label, chips: chipsOf(cell) };
  const source: ShownBlock = {
    kind: 'source',
    language: languageFacts[cell.language].grammar ?? 'text',
    text: cell.source.trimEnd(),
  };
  if (cell.language === 'prompt')
    return [heading, { kind: 'note', text: 'The answer of the model is not part of an export.' }, source];
  return [
    heading,
    source,
    ...(cell.imported_outputs === undefined
      ? []
      : [{ kind: 'note', text: 'Imported: shown as it came, not run here yet.' } as const]),
    ...(console ? [...printed('stdout', cell.console_stdout), ...printed('stderr', cell.console_stderr)] : []),
    ...(cell.error === null ? [] : [text('Error', cell.error, maxOutputBytes)]),
    ...cell.display_outputs.flatMap((display) => displayBlocks(display, maxOutputBytes)),
    ...touchedBlocks(cell),
  ];
}

function saidBlocks({ id }: CellRecord, comments: readonly CommentRecord[]): ShownBlock[] {
  return comments
    .filter(({ cell_id }) => cell_id === id)
    .map(({ author, text, created_at, resolved_by }) => {
      const day = new Date(created_at * 1000).toISOString().slice(0, 10);
      const resolved = resolved_by === null ? '' : `, resolved by ${resolved_by}`;
      return { kind: 'note', text: `${author}, ${day}${resolved}: ${text}` };
    });
}

/** What its result came from beside the cells above, as the page shows it. */
function touchedBlocks({ effects }: CellRecord): ShownBlock[] {
  const words = effects ? touchedInWords(effects) : '';
  return effects && words !== '' ? [{ kind: 'touched', words, names: touchedByName(effects) }] : [];
}

function appBlocks(cell: CellRecord, { maxOutputBytes }: PageOptions): ShownBlock[] {
  if (cell.language === 'prompt') return [];
  if (kindOf(cell.language) === 'text') return [{ kind: 'markdown', text: withoutAppHints(cell.source).trim() }];
  const outputs = cell.display_outputs.flatMap((display) => displayBlocks(display, maxOutputBytes));
  const chips = kindOf(cell.language) === 'controls' ? widgetChips(cell) : [];
  if (outputs.length === 0 && chips.length === 0) return [];
  const { name } = parseAnnotations(cell.source);
  return [
    ...(name === null && chips.length === 0 ? [] : [{ kind: 'heading', text: name ?? '', chips } as const]),
    ...outputs,
  ];
}

function chipsOf({ language, source, variant_group, variant_name }: CellRecord): string[] {
  const { worker, loop, mounts } = parseAnnotations(source);
  return [
    `kind ${language}`,
    ...(variant_group === null ? [] : [`variant ${variant_name} of ${variant_group}`]),
    ...(worker === null ? [] : [`worker ${worker}`]),
    ...(loop === null ? [] : [`loop max_iter=${loop.maxIter} carry=${loop.carry}`]),
    ...(mounts.length === 0 ? [] : [`mounts ${mounts.map(({ name }) => name).join(', ')}`]),
  ];
}

function widgetChips({ artifact_uris, source, language }: CellRecord): string[] {
  return Object.keys(artifact_uris).length === 0 ? [] : [bodyOf(source, language).trim().split('\n')[0] ?? ''];
}

const text = (title: string, content: string, maxBytes: number): ShownBlock => ({
  kind: 'text',
  language: 'text',
  title,
  text: cut(terminalText(content).trimEnd(), maxBytes),
});

function cut(content: string, maxBytes: number): string {
  const size = Buffer.byteLength(content);
  if (size <= maxBytes) return content;
  // A character that does not fit whole is left out.
  const kept = new TextDecoder().decode(Buffer.from(content).subarray(0, maxBytes), { stream: true });
  return `${kept}\n… (cut: it is ${size} bytes long)`;
}

function displayBlocks(display: CellRecord['display_outputs'][number], maxBytes: number): ShownBlock[] {
  const { content_type: type, markdown_text, inline_text, preview, error } = display;
  if (typeof error === 'string') return [{ kind: 'note', text: error }];
  if (typeof markdown_text === 'string') return [{ kind: 'markdown', text: cut(markdown_text, maxBytes) }];
  if (type.startsWith('image/') || type === 'text/html' || isChartType(type))
    return [richBlock(display, maxBytes * richTimes)];
  if (type === 'text/latex') return [{ kind: 'formula', text: cut(String(inline_text ?? ''), maxBytes) }];
  const table = shownTable(display);
  if (table) return [{ kind: 'table', ...table }];
  if (type === 'json/object' && display.text === undefined)
    return [
      { kind: 'text', language: 'json', title: 'Output', text: cut(JSON.stringify(preview, null, 2) ?? '', maxBytes) },
    ];
  const words = display.text ?? inline_text ?? preview;
  return [text('Output', typeof words === 'string' ? words : JSON.stringify(words ?? ''), maxBytes)];
}

/** What is looked at as a whole, or not at all. */
function richBlock(display: CellRecord['display_outputs'][number], maxBytes: number): ShownBlock {
  const { content_type: type, inline_text: inline, inline_data_url: url } = display;
  if (type.startsWith('image/')) {
    const source =
      type === 'image/svg+xml' && typeof inline === 'string'
        ? `data:image/svg+xml;base64,${Buffer.from(inline).toString('base64')}`
        : url;
    return typeof source === 'string' && source.startsWith('data:image/') && source.length * 0.75 <= maxBytes
      ? { kind: 'image', url: source }
      : tooLarge('A picture');
  }
  if (typeof inline !== 'string' || inline.length > maxBytes)
    return tooLarge(type === 'text/html' ? 'An output' : type === widgetType ? 'A widget' : 'A chart');
  if (type === widgetType) {
    const view = readWidgetView(inline);
    return view ? { kind: 'widget', view } : { kind: 'note', text: 'A widget whose state cannot be read.' };
  }
  return type === 'text/html' ? { kind: 'page', html: inline } : chartBlock(type, inline);
}

const tooLarge = (what: string): ShownBlock => ({ kind: 'note', text: `${what} that is too large for this page.` });

function chartBlock(type: string, json: string): ShownBlock {
  const spec = parsed(json);
  if (spec === null) return { kind: 'note', text: 'A chart whose data cannot be read.' };
  return { kind: 'chart', type, drawing: drawingOf(type, spec), json, words: inWords(type, spec) };
}

function parsed(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function inWords(type: string, spec: object): string {
  const layout = 'layout' in spec ? spec.layout : spec;
  const title = titleIn(layout);
  const library = /plotly/.test(type) ? 'Plotly' : /vega/.test(type) ? 'Vega' : type;
  return title === null ? `A chart (${library})` : `Chart: ${title} (${library})`;
}

function titleIn(holder: unknown): string | null {
  if (typeof holder !== 'object' || holder === null || !('title' in holder)) return null;
  const { title } = holder;
  if (typeof title === 'string') return title;
  return typeof title === 'object' && title !== null && 'text' in title && typeof title.text === 'string'
    ? title.text
    : null;
}
