// One record in the log for each run that ran something, with who asked for it, so that a notebook can be followed there.
import { actingCaller } from '../../identity/index.ts';
import type { Log } from '../../observability/index.ts';
import type { EndedRun } from './host.ts';

export function tellRun(
  log: Pick<Log, 'info'>,
  notebookId: string,
  { requested, outcomes, durationMs }: EndedRun,
): void {
  const { ready, error, cancelled } = outcomes;
  const principal = actingCaller()?.principal ?? null;
  if (ready + error + cancelled === 0) return;
  log.info('Run ended', {
    notebook_id: notebookId,
    ...(requested === null ? {} : { cell_id: requested }),
    ...(principal === null ? {} : { principal }),
    outcome: cancelled > 0 ? 'cancelled' : error > 0 ? 'error' : 'ready',
    cells: ready + error + cancelled,
    duration_ms: durationMs,
  });
}
