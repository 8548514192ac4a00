// Cells as the server tells them → cells as the model holds them.
import type { CellRecord, EnvironmentJob, TraceFrame } from '../protocol/index.ts';
import { type SuggestedInstall, suggestPythonInstall, suggestRInstall } from '../suggestInstall.ts';
import type { CellModel, Problem, RemotePlace, Widget } from './model.ts';
import { type Console, told } from './printed.ts';

export function cellFrom(record: CellRecord, before: CellModel | undefined): CellModel {
  const running = record.status === 'running';
  return {
    id: record.id,
    source: record.source,
    testSource: record.test_source,
    language: record.language,
    status: record.status,
    isDefinitions: record.is_module_cell === true,
    defines: record.defines,
    references: record.references,
    upstream: record.upstream_ids,
    downstream: record.downstream_ids,
    diagnostics: record.annotation_diagnostics,
    shadowWarnings: record.shadow_warnings ?? [],
    toJoin: record.to_join ?? [],
    causality: record.causality ?? null,
    displays: record.display_outputs,
    isImported: record.imported_outputs !== undefined,
    ...consoleFrom(record, before),
    problem: problemFrom(record, before?.problem ?? null),
    mutationWarnings: before?.mutationWarnings ?? [],
    cacheHit: record.cache_hit,
    durationMs: before?.durationMs ?? null,
    startedAt: running ? (before?.startedAt ?? Date.now() - (record.running_ms ?? 0)) : null,
    stoppedAfterMs: running ? null : (before?.stoppedAfterMs ?? null),
    ranSource: before?.ranSource ?? null,
    progress: running ? (before?.progress ?? null) : null,
    worker: record.worker,
    remote: running ? remoteFrom(record) : null,
    timeout: record.timeout_override,
    variantGroup: record.variant_group,
    variantName: record.variant_name,
    variantActive: record.variant_active,
    updatedBy: record.updated_by,
    artifactUris: record.artifact_uris,
    effects: record.effects ?? null,
    question: record.question ?? null,
    widget: widgetFrom(record.widget),
    tests: before?.tests ?? null,
  };
}

/** Null where nothing is said of a worker. */
export const remoteFrom = (said: {
  readonly remote_worker?: string | null | undefined;
  readonly remote_build_state?: string | null | undefined;
  readonly remote_queue_position?: number | undefined;
  readonly remote_queue_detail?: string | undefined;
}): RemotePlace | null =>
  said.remote_worker && said.remote_build_state
    ? {
        worker: said.remote_worker,
        isRunning: said.remote_build_state === 'running',
        position: said.remote_queue_position ?? null,
        detail: said.remote_queue_detail ?? null,
      }
    : null;

/** The server forgets what a cancelled run printed; whoever watched it may still want to read it. */
function consoleFrom(record: CellRecord, before: CellModel | undefined): Console {
  const { status, console_stdout, console_stderr } = record;
  const isForgotten = status !== 'running' && console_stdout === '' && console_stderr === '';
  if (before && before.stoppedAfterMs !== null && isForgotten) {
    const { stdout, stderr, printed } = before;
    return { stdout, stderr, printed };
  }
  return told(
    before?.printed ?? [],
    wholeOf(console_stdout, record.console_stdout_length, before?.stdout),
    wholeOf(console_stderr, record.console_stderr_length, before?.stderr),
  );
}

/** Of a long console only the end is told to those who should have it. */
const wholeOf = (text: string, length: number | undefined, before = ''): string =>
  length !== undefined && before.length === length && before.endsWith(text) ? before : text;

/** True when more was printed than the model holds: the whole state has it. */
export const lacksConsole = (cells: readonly CellRecord[], known: ReadonlyMap<string, CellModel>): boolean =>
  cells.some(
    ({ id, console_stdout_length: out, console_stderr_length: err }) =>
      (out !== undefined && known.get(id)?.stdout.length !== out) ||
      (err !== undefined && known.get(id)?.stderr.length !== err),
  );

/** The state carries the text of an error and what would help; what a frame told about it in more detail is kept. */
function problemFrom(record: CellRecord, before: Problem | null): Problem | null {
  const { error: text, suggest_install: install } = record;
  if (text === null) return null;
  if (before && (before.text === text || `${before.type}: ${before.message}` === text)) return before;
  const read = readTraceback(text);
  return install === undefined ? read : { ...read, install: suggested(record) };
}

export const suggested = ({
  suggest_install: name,
  suggest_install_language: language = 'python',
  suggest_install_also: also,
}: Pick<
  CellRecord,
  'suggest_install' | 'suggest_install_also' | 'suggest_install_language'
>): SuggestedInstall | null =>
  name == null ? null : { package: name, language, ...(also === undefined ? {} : { also }) };

const frameLine = /^\s*File "(?:<cell ([^>]+)>|([^"]+))", line (\d+)(?:, in (.+))?$/;

export function readTraceback(text: string): Problem {
  const lines = text.trimEnd().split('\n');
  const frames: TraceFrame[] = [];
  for (const [index, line] of lines.entries()) {
    const found = frameLine.exec(line);
    if (!found) continue;
    frames.push({
      cell_id: found[1] ?? null,
      line: Number(found[3]),
      function: found[4] ?? '<module>',
      text: lines[index + 1]?.trim() ?? '',
      ...(found[2] === undefined ? {} : { file: found[2] }),
    });
  }
  const last = lines.findLast((line) => /^[\w.]+(:|$)/.test(line)) ?? text;
  const [, type = 'Error', message = ''] = /^([\w.]+)(?::\s*([\s\S]*))?$/.exec(last) ?? ['', 'Error', text];
  return { type, message, frames, text, install: suggestPythonInstall([message]) ?? suggestRInstall(message) };
}

function widgetFrom(value: unknown): Widget | null {
  if (typeof value !== 'object' || value === null || !('descriptors' in value) || !Array.isArray(value.descriptors))
    return null;
  const values = 'values' in value && typeof value.values === 'object' && value.values !== null ? value.values : {};
  return { descriptors: value.descriptors, values: { ...values } };
}

const isJob = (value: object): value is EnvironmentJob => 'id' in value && 'command' in value && 'phase' in value;

export const jobFrom = (value: object | null): EnvironmentJob | null => (value && isJob(value) ? value : null);
