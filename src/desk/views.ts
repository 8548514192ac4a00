// A notebook in few words, for programs that work in it: the command line and agents see the same.

import { z } from 'zod';
import type { CellLanguage } from '../cellLanguages.ts';
import type { CellOutcome } from '../notebook/index.ts';
import { type CellRecord, type CellTestResult, cellTestResult } from '../protocol/index.ts';
import { terminalText } from '../terminalText.ts';

export interface OutputView {
  readonly content_type: string;
  readonly preview: unknown;
  readonly rows: number | null;
  readonly columns: readonly string[] | null;
  readonly artifact_uri: string | null;
  readonly bytes: number | null;
}

export interface CellView {
  readonly id: string;
  readonly name: string;
  readonly language: CellLanguage;
  readonly status: string;
  readonly source: string;
  readonly staleness_reasons: readonly string[];
  readonly defines: readonly string[];
  readonly references: readonly string[];
  readonly upstream_ids: readonly string[];
  readonly downstream_ids: readonly string[];
  readonly outputs: readonly OutputView[];
  readonly console_stdout: string;
  readonly console_stderr: string;
  readonly error: string | null;
  readonly diagnostics: readonly unknown[];
  readonly test: TestView | null;
  readonly created_by: string;
  readonly updated_by: string;
  readonly controls?: readonly unknown[];
}

export interface TestView {
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
  readonly skipped: number;
  readonly cases: readonly { readonly name: string; readonly outcome: string; readonly message: string }[];
}

export interface RunView {
  readonly cell_id: string;
  readonly status: 'ok' | 'error';
  readonly cache_hit: boolean;
  readonly execution_method: string | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What a run would bring here that was held back for it. */
  readonly reads?: readonly object[];
}

const maxConsole = 10_000;

/** Whoever reads this has little room, and no use for colours. */
export function shortened(printed: string): string {
  const text = terminalText(printed);
  return text.length <= maxConsole
    ? text
    : `${text.slice(0, maxConsole)}… [+${text.length - maxConsole} chars truncated]`;
}

const annotated = z.object({ name: z.string().nullish() });
const widgetShape = z.object({
  descriptors: z.array(z.looseObject({ name: z.string(), default: z.unknown() })),
  values: z.record(z.string(), z.unknown()),
});

/** Its name in words: what it calls itself, else what it defines first. */
export const nameOf = ({ annotations, defines, id }: CellRecord): string =>
  annotated.safeParse(annotations).data?.name ?? defines[0] ?? id;

export function cellView(record: CellRecord): CellView {
  const widget = widgetShape.safeParse(record.widget).data;
  const tested = cellTestResult.safeParse(record.test_result).data;
  return {
    id: record.id,
    name: nameOf(record),
    language: record.language,
    status: record.status,
    source: record.source,
    staleness_reasons: record.staleness_reasons,
    defines: record.defines,
    references: record.references,
    upstream_ids: record.upstream_ids,
    downstream_ids: record.downstream_ids,
    outputs: record.display_outputs.map(outputView),
    console_stdout: shortened(record.console_stdout),
    console_stderr: shortened(record.console_stderr),
    error: record.error,
    diagnostics: record.annotation_diagnostics,
    test: tested ? testView(tested) : null,
    created_by: record.created_by ?? '',
    updated_by: record.updated_by ?? '',
    ...(widget
      ? {
          controls: widget.descriptors.map((control) => ({
            ...control,
            value: Object.hasOwn(widget.values, control.name) ? widget.values[control.name] : control.default,
          })),
        }
      : {}),
  };
}

function outputView(display: CellRecord['display_outputs'][number]): OutputView {
  const { content_type, preview, rows, columns, artifact_uri, bytes, markdown_text, text } = display;
  const shown = preview ?? markdown_text ?? text ?? null;
  return {
    content_type,
    preview: typeof shown === 'string' ? shortened(shown) : shown,
    rows: typeof rows === 'number' ? rows : null,
    columns: Array.isArray(columns) ? columns.map(String) : null,
    artifact_uri: typeof artifact_uri === 'string' && artifact_uri !== '' ? artifact_uri : null,
    bytes: typeof bytes === 'number' ? bytes : null,
  };
}

export const testView = ({ passed, failed, errored, skipped, tests }: CellTestResult): TestView => ({
  passed,
  failed,
  errored,
  skipped,
  cases: tests.map(({ name, outcome, message }) => ({ name, outcome, message: shortened(message) })),
});

export function runView({ cellId, status, cacheHit, executed, result, error }: CellOutcome): RunView {
  const run = executed?.run;
  return {
    cell_id: cellId,
    status: status === 'ready' ? 'ok' : 'error',
    cache_hit: cacheHit,
    execution_method: cacheHit ? 'cached' : (run?.executionMethod ?? null),
    duration_ms: Math.round(run?.durationMs ?? 0),
    error: status === 'ready' ? null : run?.error ? `${run.error.error_type}: ${run.error.message}` : error,
    error_code: status === 'cancelled' ? 'cancelled' : (run?.errorCode ?? null),
    stdout: shortened(run?.stdout ?? result?.stdout ?? ''),
    stderr: shortened(run?.stderr ?? result?.stderr ?? ''),
  };
}

/** The last run of a cell, as its record tells of it. */
export const lastRunView = (record: CellRecord, durationMs = 0): RunView => ({
  cell_id: record.id,
  status: record.status === 'ready' ? 'ok' : 'error',
  cache_hit: record.cache_hit,
  execution_method: record.execution_method,
  duration_ms: Math.round(durationMs),
  error: record.error,
  error_code: null,
  stdout: shortened(record.console_stdout),
  stderr: shortened(record.console_stderr),
});

/** A run that was held back until somebody agrees to what it would read. */
export const largeReadView = (cellId: string, error: string, reads: readonly object[]): RunView => ({
  cell_id: cellId,
  status: 'error',
  cache_hit: false,
  execution_method: null,
  duration_ms: 0,
  error,
  error_code: 'large_read',
  stdout: '',
  stderr: '',
  reads,
});

export const statusView = (notebookId: string, name: string, cells: readonly CellRecord[]) => ({
  notebook_id: notebookId,
  name,
  cells: cells.map((cell) => {
    const { id, language, status, staleness_reasons, defines } = cell;
    return { id, name: nameOf(cell), language, status, staleness_reasons, defines };
  }),
});

/** What answers where a name comes from. */
export function variableView(
  name: string,
  producers: Readonly<Record<string, string>>,
  cellOf: (cellId: string) => CellView | undefined,
): object {
  const from = Object.hasOwn(producers, name) ? producers[name] : undefined;
  if (from === undefined) return { variable: name, defined: false, available: Object.keys(producers).sort() };
  const cell = cellOf(from);
  return { variable: name, defined: true, defined_in: from, ...(cell ? { cell } : {}) };
}
