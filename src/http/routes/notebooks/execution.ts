// The answer of a run over REST: the same facts as its frames, in one body.
import {
  type CellOutcome,
  hitPayload,
  installFields,
  outputPayload,
  problemLine,
  remoteFields,
  teamFields,
} from '../../../notebook/index.ts';
import type { ExecuteBody } from '../../../protocol/index.ts';

export function executionBody(outcome: CellOutcome): ExecuteBody {
  const { cellId, executed, result, cacheHit, error, status } = outcome;
  const run = executed?.run;
  const shown =
    result === null
      ? {}
      : cacheHit || !run
        ? hitPayload(cellId, result, outcome.controls ?? {})
        : outputPayload(cellId, run, result);
  return {
    cell_id: cellId,
    stdout: run?.stdout ?? '',
    stderr: run?.stderr ?? '',
    outputs: {},
    duration_ms: run?.durationMs ?? 0,
    artifact_uri: null,
    execution_method: run?.executionMethod ?? null,
    mutation_warnings: [],
    displays: [],
    display: null,
    cache_hit: cacheHit,
    ...shown,
    error: run && error !== null && outcome.failedAbove === undefined ? problemLine(run, error) : error,
    traceback: run?.error?.text ?? null,
    ...(run?.error ? { error_type: run.error.error_type, traceback_frames: run.error.traceback } : {}),
    ...(run?.errorCode === undefined ? {} : { error_code: run.errorCode }),
    ...installFields(run?.suggestInstall),
    ...remoteFields(run?.remote),
    ...teamFields(outcome.team),
    status: status === 'ready' ? 'ready' : 'error',
    ...(status === 'cancelled'
      ? { error_code: 'cancelled', error: 'Cancelled before it finished', duration_ms: 0 }
      : {}),
  };
}
