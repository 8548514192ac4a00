// A run to one cell: what leads to it, and the cell itself; the first failure ends it.

import type { Stores } from './cellWork.ts';
import type { CellOutcome, RunHost, RunMode } from './host.ts';
import { problemLine } from './outputFrames.ts';
import type { Asking } from './questions.ts';
import { announce, wasCancelled } from './runCell.ts';
import { type Manner, runPlan } from './runPlan.ts';

export interface RunTo {
  readonly target: string;
  /** In the order in which they run, the target included; none: the target alone. */
  readonly needed: readonly string[];
  readonly mode: RunMode;
  readonly planId: string;
  readonly stores?: Stores;
  readonly asking?: Asking;
}

export async function runTo(
  host: RunHost,
  { target, needed, mode, planId, stores = 'read', asking = {} }: RunTo,
  signal: AbortSignal,
): Promise<CellOutcome> {
  const steps = needed.length === 0 ? [target] : needed;
  const total = needed.length;
  const ends: CellOutcome[] = [];
  const begun = new Set<string>();
  const progress = (cellId: string): void => {
    const completed = ends.filter(({ status }) => status === 'ready').length;
    if (total > 1) host.broadcast('cascade_progress', { plan_id: planId, current_cell_id: cellId, completed, total });
  };
  const manner: Manner = {
    afterFailure: 'end',
    stores,
    asking,
    mayReuse: (cellId) => mode === 'normal' || cellId !== target,
    onStart(cellId) {
      begun.add(cellId);
      progress(cellId);
    },
    onEnded: (outcome) => ends.push(outcome),
  };
  await runPlan(host, steps, manner, signal);
  const failure = ends.find(({ status }) => status !== 'ready');
  const own = ends.find(({ cellId }) => cellId === target);
  if (!failure && own) {
    progress(target);
    return own;
  }
  announce(
    host,
    steps.filter((id) => !begun.has(id)),
  );
  if (failure) return failure.cellId === target ? failure : notReached(target, failure);
  return host.session().facts.has(target) ? wasCancelled(target, null) : gone(target);
}

/** The outcome of a cell that did not come to run because one above it ended as `failure` says. */
function notReached(cellId: string, failure: CellOutcome): CellOutcome {
  const { executed, error } = failure;
  const reason = executed ? problemLine(executed.run, error ?? '') : error;
  return {
    ...failure,
    cellId,
    failedAbove: failure.cellId,
    error: `Upstream cell ${failure.cellId} failed: ${reason}`,
  };
}

export const goneText = (cellId: string): string =>
  `Cell ${cellId} is not in the notebook any more: its file on disk was changed.`;

export const gone = (cellId: string): CellOutcome => ({
  cellId,
  status: 'error',
  cacheHit: false,
  result: null,
  executed: null,
  error: goneText(cellId),
});
