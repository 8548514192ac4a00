// A notebook as a sequence of blocks to read: text, code, tables, pictures. Markdown and HTML are two ways to write them.
import type { CellRecord } from '../../protocol/index.ts';
import { terminalText } from '../../terminalText.ts';
import { bodyOf, parseAnnotations } from '../annotations/index.ts';

export type Block =
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string; readonly chips: readonly string[] }
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly title: string | null; readonly text: string }
  | { readonly kind: 'image'; readonly url: string }
  | {
      readonly kind: 'table';
      readonly columns: readonly string[];
      readonly rows: readonly (readonly unknown[])[];
      readonly total: number;
    }
  | { readonly kind: 'note'; readonly text: string };

export interface PageOptions {
  /** Only what a reader of the app sees: no sources, no consoles. */
  readonly appView: boolean;
  readonly inactiveVariants: boolean;
  /** What cells printed. */
  readonly console: boolean;
  /** An output beyond this is cut, a picture beyond it left out: a page is for reading. */
  readonly maxOutputBytes: number;
}

/** What fits on a page where nothing else is said. */
export const usualOutputBytes = 1024 * 1024;

export interface PageSource {
  readonly name: string;
  /** The notebook's own introduction, when it has one. */
  readonly readme: string | null;
  readonly cells: readonly CellRecord[];
}

export function blocksOf({ name, readme, cells }: PageSource, options: PageOptions): Block[] {
  const opening: Block[] =
    options.appView || readme === null
      ? [{ kind: 'title', text: options.appView ? name : `Notebook: ${name}` }]
      : [{ kind: 'markdown', text: readme }];
  const shown = cells.filter((cell) => cell.variant_active || (options.inactiveVariants && !options.appView));
  return [
    ...opening,
    ...shown.flatMap((cell) => (options.appView ? appBlocks(cell, options) : cellBlocks(cell, options))),
  ];
}

function cellBlocks(cell: CellRecord, { console, maxOutputBytes }: PageOptions): Block[] {
  const printed = (title: string, content: string): Block[] =>
    content.trim() === '' ? [] : [text(title, content, maxOutputBytes)];
  if (cell.language === 'markdown') return [{ kind: 'markdown', text: cell.source.trim() }];
  const heading: Block = { kind: 'heading', text: nameOf(cell), chips: chipsOf(cell) };
  const source: Block = { kind: 'code', language: fenceOf(cell.language), title: null, text: cell.source.trimEnd() };
  if (cell.language === 'prompt')
    return [heading, { kind: 'note', text: 'The answer of the model is not part of an export.' }, source];
  return [
    heading,
    source,
    ...cell.display_outputs.flatMap((display) => displayBlocks(display, maxOutputBytes)),
    ...(console ? [...printed('stdout', cell.console_stdout), ...printed('stderr', cell.console_stderr)] : []),
    ...(cell.error === null ? [] : [text('Error', cell.error, maxOutputBytes)]),
  ];
}

function appBlocks(cell: CellRecord, { maxOutputBytes }: PageOptions): Block[] {
  if (/^\s*#\s*@app\s+hide\b/m.test(cell.source) || cell.language === 'prompt') return [];
  if (cell.language === 'markdown') return [{ kind: 'markdown', text: cell.source.trim() }];
  const outputs = cell.display_outputs.flatMap((display) => displayBlocks(display, maxOutputBytes));
  const chips = cell.language === 'widget' ? widgetChips(cell) : [];
  if (outputs.length === 0 && chips.length === 0) return [];
  const { name } = parseAnnotations(cell.source);
  return [
    ...(name === null && chips.length === 0 ? [] : [{ kind: 'heading', text: name ?? '', chips } as const]),
    ...outputs,
  ];
}

const nameOf = ({ id, source }: CellRecord): string => parseAnnotations(source).name ?? id;

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

function widgetChips({ artifact_uris, source }: CellRecord): string[] {
  return Object.keys(artifact_uris).length === 0 ? [] : [bodyOf(source, 'widget').trim().split('\n')[0] ?? ''];
}

const fenceOf = (language: string): string =>
  language === 'python' || language === 'sql' || language === 'r' ? language : 'text';

const text = (title: string, content: string, maxBytes: number): Block => ({
  kind: 'code',
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

function displayBlocks(display: CellRecord['display_outputs'][number], maxBytes: number): Block[] {
  const { content_type, markdown_text, inline_data_url, preview, rows, columns, error } = display;
  if (typeof error === 'string') return [{ kind: 'note', text: error }];
  if (typeof markdown_text === 'string') return [{ kind: 'markdown', text: cut(markdown_text, maxBytes) }];
  if (content_type.startsWith('image/')) return [imageBlock(inline_data_url, maxBytes)];
  if (content_type === 'arrow/ipc' && Array.isArray(preview) && Array.isArray(columns))
    return [
      {
        kind: 'table',
        columns,
        rows: preview.filter(Array.isArray),
        total: typeof rows === 'number' ? rows : preview.length,
      },
    ];
  if (content_type === 'json/object')
    return [
      { kind: 'code', language: 'json', title: 'Output', text: cut(JSON.stringify(preview, null, 2) ?? '', maxBytes) },
    ];
  if (content_type === 'pickle/object')
    return [text('Output', String(display.text ?? preview ?? 'a Python object'), maxBytes)];
  return [text('Output', typeof preview === 'string' ? preview : JSON.stringify(preview ?? ''), maxBytes)];
}

const imageBlock = (url: unknown, maxBytes: number): Block =>
  typeof url === 'string' && url.startsWith('data:image/') && url.length * 0.75 <= maxBytes
    ? { kind: 'image', url }
    : { kind: 'note', text: 'A picture that is too large for this page.' };
