// A notebook for Jupyter (nbformat 4.5), with everything that its cells show in the forms that Jupyter knows. Cells of other
// languages go as the cell magics that Jupyter has for them, and come back as what they were.

import { createHash } from 'node:crypto';
import { kindOf, languageFacts } from '../../cellLanguages.ts';
import { isChartType } from '../../charts.ts';
import { escapeMarkup } from '../../escapeMarkup.ts';
import type { CellEffects, CellRecord } from '../../protocol/index.ts';
import { touchedInWords } from '../../touched.ts';
import { widgetStateType, widgetType } from '../../widgetType.ts';
import { readWidgetView, type WidgetModel, type WidgetView } from '../../widgetView.ts';
import type { JupyterCellFacts, JupyterFacts } from '../document/index.ts';
import { cellText } from './cellText.ts';
import { type ShownTable, shownTable } from './shownTable.ts';

/** SQL and R run in Jupyter by these; other languages of ours only Jupyter's raw cells can hold. */
export interface JupyterSource {
  readonly name: string;
  readonly cells: readonly CellRecord[];
  /** What a cell showed where it comes from, as it came. */
  imported(cellId: string): readonly object[] | undefined;
  /** What Jupyter said of it, where it came from there. */
  readonly facts: JupyterFacts;
}

const python = {
  kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
  language_info: { name: 'python' },
};

export function jupyterNotebook({ name, cells, imported, facts }: JupyterSource): object {
  const { kernelspec, language_info, ...metadata } = facts.metadata;
  const kernel = kernelOf(cells, facts);
  const above = (after: string | null): object[] =>
    facts.others.flatMap((other) => (other.after === after ? [other.cell] : []));
  const ids = new Set(cells.map(({ id }) => id));
  const lost = facts.others.filter(({ after }) => after !== null && !ids.has(after)).map(({ cell }) => cell);
  return {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {
      title: name,
      ...metadata,
      ...(kernel === null
        ? python
        : { ...(kernelspec ? { kernelspec } : {}), ...(language_info ? { language_info } : {}) }),
      ...widgetMetadata(cells, metadata.widgets),
    },
    // What came from Jupyter goes back as it came.
    cells: [
      ...above(null),
      ...cells.flatMap((cell) => {
        const outputs = (cell.imported_outputs ? imported(cell.id) : undefined) ?? outputsOf(cell);
        return [jupyterCell(cell, outputs, { ...facts.cells[cell.id], kernel: kernel ?? 'python' }), ...above(cell.id)];
      }),
      ...lost,
    ].map(withId),
  };
}

/** Jupyter keeps the state of all widgets in one place; that of cells that have not run here goes back as it came. */
function widgetMetadata(cells: readonly CellRecord[], came: unknown): object {
  const shown = cells.flatMap((cell) => (cell.imported_outputs ? [] : cell.display_outputs.flatMap(viewsOf)));
  if (shown.length === 0) return {};
  const before = memberOf(memberOf(came, widgetStateType), 'state');
  const state: Record<string, WidgetModel> = Object.assign({}, before, ...shown.map(({ widgets }) => widgets.state));
  return { widgets: { [widgetStateType]: { version_major: 2, version_minor: 0, state } } };
}

function viewsOf({ content_type, inline_text }: Display): WidgetView[] {
  const view = content_type === widgetType && typeof inline_text === 'string' ? readWidgetView(inline_text) : null;
  return view ? [view] : [];
}

/** The language of the kernel that it came with; null for ours, also where that kernel would not know all of its cells. */
function kernelOf(cells: readonly CellRecord[], { metadata }: JupyterFacts): string | null {
  const { kernelspec, language_info } = metadata;
  if (kernelspec === undefined && language_info === undefined) return null;
  const named = memberOf(kernelspec, 'language') ?? memberOf(language_info, 'name') ?? 'python';
  const language = String(named).toLowerCase();
  const isFit = language === 'python' || (language === 'r' && !cells.some((cell) => cell.language === 'python'));
  return isFit ? language : null;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

/** The format asks for one, and cells of older formats have none. */
const withId = (cell: object, place: number): object => ('id' in cell ? cell : { id: `raw-${place}`, ...cell });

function jupyterCell(
  cell: CellRecord,
  outputs: readonly object[],
  facts: JupyterCellFacts & { kernel: string },
): object {
  const { language } = cell;
  const { id = cell.id.slice(0, 64), attachments = {}, execution_count = null, kernel } = facts;
  const { source, attached } = sourceOf(cell, facts.source, facts.became_sha256, attachments);
  const touched: { readonly svc?: { readonly effects: CellEffects } } =
    cell.effects && touchedInWords(cell.effects) !== '' ? { svc: { effects: cell.effects } } : {};
  const metadata: Readonly<Record<string, unknown>> = { ...facts.metadata, ...touched };
  const common = { id, metadata, ...attached, source };
  // A number says which run it was: one of here has none.
  const hasRunHere = cell.imported_outputs === undefined && cell.status !== 'idle';
  const code = { cell_type: 'code', execution_count: hasRunHere ? null : execution_count, outputs };
  if (kindOf(language) === 'text') return { ...common, cell_type: 'markdown' };
  if (language === kernel) return { ...common, ...code };
  const ours = { ...metadata, svc: { ...touched.svc, language } };
  const { magic } = languageFacts[language];
  if (magic === null) return { ...common, metadata: ours, cell_type: 'raw' };
  return { ...common, ...code, metadata: ours, source: `${magic}\n${source}` };
}

/** As it came while it is as it was; else with pictures that came as attachments as such again. */
function sourceOf(
  { source }: CellRecord,
  came: string | undefined,
  becameSha256: string | undefined,
  attachments: Readonly<Record<string, unknown>>,
): { readonly source: string; readonly attached: object } {
  const isSame = becameSha256 === createHash('sha256').update(source.trim()).digest('hex');
  let text = isSame && came !== undefined ? came : source.trimEnd();
  for (const [name, bundle] of Object.entries(attachments))
    for (const [type, data] of typeof bundle === 'object' && bundle !== null ? Object.entries(bundle) : [])
      text = text.replaceAll(`](data:${type};base64,${String(data).trim()})`, `](attachment:${name})`);
  const used = Object.entries(attachments).filter(([name]) => text.includes(`attachment:${name}`));
  return { source: text, attached: used.length === 0 ? {} : { attachments: Object.fromEntries(used) } };
}

function outputsOf({ display_outputs, console_stdout, console_stderr, error }: CellRecord): object[] {
  const stream = (name: string, text: string): object[] => (text === '' ? [] : [{ output_type: 'stream', name, text }]);
  const shown = display_outputs.map((display) => ({
    output_type: 'display_data',
    metadata: metadataOf(display),
    data: mimeBundle(display),
  }));
  return [
    ...stream('stdout', console_stdout),
    ...stream('stderr', console_stderr),
    ...shown,
    ...(error === null ? [] : [errorOutput(error)]),
  ];
}

function errorOutput(text: string): object {
  const lines = text.trimEnd().split('\n');
  const last = lines.findLast((line) => /^[\w.]+(:|$)/.test(line)) ?? lines.at(-1) ?? '';
  const [, ename = 'Error', evalue = ''] = /^([\w.]+)(?::\s*(.*))?$/.exec(last) ?? [];
  return { output_type: 'error', ename, evalue, traceback: lines };
}

type Display = CellRecord['display_outputs'][number];

const metadataOf = ({ content_type: type, width, height }: Display): object =>
  type.startsWith('image/') && typeof width === 'number' && typeof height === 'number'
    ? { [type]: { width, height } }
    : {};

/** By the type of the display; a text for whoever shows nothing else goes along. */
function mimeBundle(display: Display): Record<string, unknown> {
  const { content_type: type, markdown_text, inline_data_url, inline_text, preview, error } = display;
  if (typeof error === 'string') return { 'text/plain': error };
  if (typeof markdown_text === 'string') return { 'text/markdown': markdown_text, 'text/plain': markdown_text };
  const image = /^data:(image\/[\w+.-]+);base64,(.*)$/s.exec(String(inline_data_url ?? ''));
  if (image?.[1]) return { [image[1]]: image[2], 'text/plain': '<picture>' };
  const [view] = viewsOf(display);
  if (view) {
    const { version_major, version_minor, model_id, text } = view;
    return { [widgetType]: { version_major, version_minor, model_id }, 'text/plain': text };
  }
  if (isChartType(type) && typeof inline_text === 'string')
    return { [type]: JSON.parse(inline_text), 'text/plain': '<chart>' };
  if (/^(text\/(html|latex)|image\/svg\+xml)$/.test(type) && typeof inline_text === 'string')
    return { [type]: inline_text, 'text/plain': type === 'text/latex' ? inline_text : '<output>' };
  const table = shownTable(display);
  if (table) return tableBundle(table);
  const words = display.text ?? inline_text ?? preview ?? null;
  const plain = { 'text/plain': typeof words === 'string' ? words : JSON.stringify(words) };
  return type === 'json/object' && display.text === undefined && typeof preview === 'object' && preview !== null
    ? { 'application/json': preview, ...plain }
    : plain;
}

function tableBundle({ columns, rows, total }: ShownTable) {
  const row = (tag: string, values: readonly unknown[]): string =>
    `<tr>${values.map((value) => `<${tag}>${escapeMarkup(cellText(value))}</${tag}>`).join('')}</tr>`;
  const more = total > rows.length ? `${rows.length} of ${total} rows` : null;
  const html = [
    `<table><thead>${row('th', columns)}</thead><tbody>`,
    ...rows.map((values) => row('td', values)),
    `</tbody></table>${more === null ? '' : `<p>${more}</p>`}`,
  ].join('\n');
  const lines = [columns, ...rows].map((values) => values.map(cellText).join('\t'));
  return { 'text/html': html, 'text/plain': [...lines, ...(more === null ? [] : [more])].join('\n') };
}
