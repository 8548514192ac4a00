// A notebook in few words, for programs that work in it: the command line and agents see the same.

import type { CellOutcome, LiveNotebook } from '../notebook/index.ts';
import type { CellRecord, CellTestResult } from '../protocol/index.ts';

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
  readonly language: string;
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
}

const maxConsole = 10_000;

/** Whoever reads this has little room. */
export const shortened = (text: string): string =>
  text.length <= maxConsole ? text : `${text.slice(0, maxConsole)}… [+${text.length - maxConsole} chars truncated]`;

export function cellView(live: LiveNotebook, cellId: string): CellView {
  const record = live.cellRecord(cellId);
  const { widget, chosen } = live.shape().cells.get(cellId) ?? { widget: null, chosen: {} };
  return {
    id: record.id,
    name: live.session().facts.get(cellId)?.name ?? record.id,
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
    test: live.testResult(cellId) ? testView(live.testResult(cellId)) : null,
    created_by: record.created_by ?? '',
    updated_by: record.updated_by ?? '',
    ...(widget
      ? {
          controls: widget.descriptors.map(({ name, kind, params, default: fallback }) => ({
            name,
            kind,
            params,
            default: fallback,
            value: Object.hasOwn(chosen, name) ? chosen[name] : fallback,
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

export const testView = (result: CellTestResult | null): TestView => ({
  passed: result?.passed ?? 0,
  failed: result?.failed ?? 0,
  errored: result?.errored ?? 0,
  skipped: result?.skipped ?? 0,
  cases: (result?.tests ?? []).map(({ name, outcome, message }) => ({ name, outcome, message: shortened(message) })),
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

export function statusView(live: LiveNotebook) {
  const { id, name, cells } = live.notebook();
  return {
    notebook_id: id,
    name,
    cells: cells.map((cell) => {
      const { status, staleness_reasons, defines, language } = live.cellRecord(cell.id);
      const label = live.session().facts.get(cell.id)?.name ?? cell.id;
      return { id: cell.id, name: label, language, status, staleness_reasons, defines };
    }),
  };
}

export const dagView = (live: LiveNotebook) => ({ error: null, ...live.dag() });
