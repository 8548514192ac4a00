// What cells show, there and here, in one form in which it can be compared: what a reader sees, not how it is kept.
import { isChartType } from '../../src/charts.ts';
import type { CellRecord } from '../../src/protocol/index.ts';
import { widgetType } from '../../src/widgetType.ts';
import { readWidgetView } from '../../src/widgetView.ts';
import type { OutputThere } from './runThere.ts';

export type Shown =
  | { readonly kind: 'picture'; readonly width: number; readonly height: number }
  | { readonly kind: 'table'; readonly rows: readonly (readonly unknown[])[]; readonly columns: readonly string[] }
  | { readonly kind: 'chart' | 'widget' | 'latex' | 'markdown' | 'html' | 'text'; readonly text: string };

export interface Outputs {
  readonly stdout: string;
  readonly stderr: string;
  readonly shown: readonly Shown[];
  /** Its name, such as ValueError, and its words. */
  readonly error: string | null;
}

export function outputsThere(outputs: readonly OutputThere[]): Outputs {
  const stream = (wanted: string): string =>
    outputs.map((one) => (one.output_type === 'stream' && one.name === wanted ? one.text : '')).join('');
  const shown = outputs.flatMap((one) =>
    one.output_type === 'display_data' || one.output_type === 'execute_result' ? [shownThere(one.data)] : [],
  );
  const error = outputs.find((one) => one.output_type === 'error');
  return {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    shown,
    error: error === undefined ? null : firstLine(`${error.ename}: ${error.evalue}`),
  };
}

export function outputsHere({ console_stdout, console_stderr, display_outputs, error }: CellRecord): Outputs {
  const said = (error ?? '').trimEnd().split('\n');
  // Lines of a message that has several follow the one that begins with the name.
  const last = said.findLast((line) =>
    /^[A-Za-z_][\w.]*(Error|Exception|Warning|Interrupt|Exit|Stop\w*)?(:|$)/.test(line),
  );
  return {
    stdout: console_stdout,
    stderr: console_stderr,
    shown: display_outputs.map(shownHere),
    error: error === null ? null : (last ?? said.at(-1) ?? ''),
  };
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';
const textOf = (data: unknown): string => (Array.isArray(data) ? data.join('') : String(data));

function shownThere(data: Readonly<Record<string, unknown>>): Shown {
  // Both say a widget in words, with its values.
  if (data[widgetType] !== undefined) return { kind: 'widget', text: textOf(data['text/plain'] ?? '') };
  const chart = Object.keys(data).find(isChartType);
  if (chart !== undefined) return { kind: 'chart', text: JSON.stringify(data[chart]) };
  // JupyterLab shows a formula as such, also where there is a picture of it.
  if (data['text/latex'] !== undefined) return { kind: 'latex', text: textOf(data['text/latex']) };
  if (data['image/png'] !== undefined) return pictureOf(textOf(data['image/png']));
  if (data['image/svg+xml'] !== undefined) return { kind: 'html', text: textOf(data['image/svg+xml']) };
  if (data['text/markdown'] !== undefined) return { kind: 'markdown', text: textOf(data['text/markdown']) };
  if (data['text/html'] !== undefined) return { kind: 'html', text: textOf(data['text/html']) };
  return { kind: 'text', text: textOf(data['text/plain'] ?? '') };
}

function shownHere(display: CellRecord['display_outputs'][number]): Shown {
  const { content_type: type, markdown_text, inline_data_url, inline_text, preview, columns, error, text } = display;
  if (typeof error === 'string') return { kind: 'text', text: error };
  if (typeof markdown_text === 'string') return { kind: 'markdown', text: markdown_text };
  if (typeof inline_data_url === 'string') return pictureOf(inline_data_url.replace(/^.*base64,/s, ''));
  if (type === widgetType) return { kind: 'widget', text: readWidgetView(String(inline_text))?.text ?? '' };
  if (isChartType(type)) return { kind: 'chart', text: String(inline_text) };
  if (type === 'text/latex') return { kind: 'latex', text: String(inline_text) };
  if (type === 'text/html' || type === 'image/svg+xml') return { kind: 'html', text: String(inline_text) };
  if (type === 'arrow/ipc' && Array.isArray(preview) && Array.isArray(columns))
    return { kind: 'table', columns: columns.map(String), rows: preview.filter(Array.isArray) };
  const words = text ?? inline_text ?? preview ?? null;
  return { kind: 'text', text: typeof words === 'string' ? words : JSON.stringify(words) };
}

/** A PNG says its size at its beginning. */
function pictureOf(base64: string): Shown {
  const head = Buffer.from(base64.slice(0, 64), 'base64');
  const isPng = head.length >= 24 && head.toString('latin1', 1, 4) === 'PNG';
  return { kind: 'picture', width: isPng ? head.readUInt32BE(16) : 0, height: isPng ? head.readUInt32BE(20) : 0 };
}
