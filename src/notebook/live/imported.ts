// What cells showed where they come from, as this app shows it, until they run here.
import { isChartType } from '../../charts.ts';
import type { ValueRecord } from '../../runtimes/index.ts';
import { terminalText } from '../../terminalText.ts';
import { widgetStateType, widgetType } from '../../widgetType.ts';
import { isWidgetState, type WidgetState, widgetViewIn } from '../../widgetView.ts';
import {
  type ImportedOutput,
  importedFile,
  openSavedMap,
  parseImported,
  printImported,
  readJupyterFacts,
} from '../document/index.ts';

/** It is stored nowhere: all of it comes along. */
type Display = ValueRecord & { readonly artifact_uri: null };

export interface Imported {
  readonly displays: readonly Display[];
  readonly stdout: string;
  readonly stderr: string;
  /** As they came: whoever takes the notebook back to Jupyter gets them whole. */
  readonly outputs: readonly ImportedOutput[];
}

export interface ImportedOutputs {
  of(cellId: string): Imported | undefined;
  /** It has run here. */
  forget(cellId: string): Promise<void>;
}

export async function openImportedOutputs(directory: string): Promise<ImportedOutputs> {
  const saved = await openSavedMap<readonly ImportedOutput[]>(importedFile(directory), {
    parse: parseImported,
    print: printImported,
  });
  const widgets = await widgetsOf(directory);
  const read = new Map<string, Imported>();
  return {
    of(cellId) {
      const outputs = saved.get(cellId);
      if (outputs === undefined) return undefined;
      const known = read.get(cellId) ?? importedFrom(outputs, widgets);
      read.set(cellId, known);
      return known;
    },
    async forget(cellId) {
      if (saved.get(cellId) !== undefined) await saved.delete(cellId);
    },
  };
}

/** Jupyter keeps the state of all widgets beside the cells. */
async function widgetsOf(directory: string): Promise<WidgetState | undefined> {
  const { widgets } = (await readJupyterFacts(directory)).metadata;
  const state = isRecord(widgets) ? widgets[widgetStateType] : undefined;
  return isWidgetState(state) ? state : undefined;
}

/** From the most telling on: what Jupyter would show. */
const preferred = [
  'text/latex',
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'text/markdown',
  'application/json',
  'text/plain',
];

export function importedFrom(outputs: readonly ImportedOutput[], widgets?: WidgetState): Imported {
  const printed = (name: string): string =>
    outputs.map((one) => (one.output_type === 'stream' && one.name === name ? textOf(one.text) : '')).join('');
  return {
    displays: outputs.flatMap(({ data }) => (isRecord(data) ? displayOf(data, widgets) : [])),
    stdout: printed('stdout'),
    stderr: [printed('stderr'), ...outputs.flatMap(problemOf)].join(''),
    outputs,
  };
}

function problemOf({ output_type, traceback, ename, evalue }: ImportedOutput): string[] {
  if (output_type !== 'error') return [];
  const lines = Array.isArray(traceback) ? traceback.map(String).join('\n') : '';
  return [`${terminalText(lines) || `${ename}: ${evalue}`}\n`];
}

function displayOf(data: Readonly<Record<string, unknown>>, widgets: WidgetState | undefined): Display[] {
  const { [widgetType]: shown } = data;
  const view =
    widgets && isRecord(shown) ? widgetViewIn(widgets, String(shown.model_id), textOf(data['text/plain'])) : null;
  if (view) return [display(widgetType, { inline_text: JSON.stringify(view) })];
  const known = Object.entries(data).map(([type, value]) => [type.replace(/(?<=\w)\.json$/, '+json'), value] as const);
  const charts = known.filter(([type]) => isChartType(type) && /\.(plotly|vega|vegalite)\./.test(type));
  const [chart] = charts;
  if (chart) return [display(chart[0], { inline_text: JSON.stringify(chart[1]) })];
  const type = preferred.find((one) => data[one] !== undefined);
  if (type === undefined) return [];
  const value = data[type];
  if (type === 'application/json') return [display('json/object', { preview: value })];
  if (type === 'text/markdown') return [display(type, { markdown_text: textOf(value) })];
  if (/^image\/(png|jpeg|gif)$/.test(type))
    return [display(type, { inline_data_url: `data:${type};base64,${textOf(value).replace(/\s/g, '')}` })];
  return [display(type, { inline_text: textOf(value) })];
}

const display = (content_type: string, facts: object): Display => ({
  content_type,
  artifact_uri: null,
  preview: null,
  ...facts,
});

/** Jupyter writes texts as lists of lines, or whole. */
const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join('') : typeof value === 'string' ? value : JSON.stringify(value ?? '');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
