// One record in the log for each run that ran something, so that a notebook can be followed there.
import type { Log } from '../../observability/index.ts';
import type { EndedRun } from './host.ts';

export function tellRun(
  log: Pick<Log, 'info'>,
  notebookId: string,
  { requested, outcomes, durationMs }: EndedRun,
): void {
  const { ready, error, cancelled } = outcomes;
  if (ready + error + cancelled === 0) return;
  log.info('Run ended', {
    notebook_id: notebookId,
    ...(requested === null ? {} : { cell_id: requested }),
    outcome: cancelled > 0 ? 'cancelled' : error > 0 ? 'error' : 'ready',
    cells: ready + error + cancelled,
    duration_ms: durationMs,
  });
}
