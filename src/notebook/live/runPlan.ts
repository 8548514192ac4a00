// Cells of a plan in the order that they need; those that do not need each other run side by side. What comes next is part of
// the session's state.
import { availableParallelism } from 'node:os';
import type { Lane } from '../languages/index.ts';
import { nothingTouched, orderedBy } from '../run/index.ts';
import type { AfterFailure, RunAction } from '../state/index.ts';
import type { Stores } from './cellWork.ts';
import type { CellOutcome, RunHost } from './host.ts';
import type { Asking } from './questions.ts';
import { runCell } from './runCell.ts';
import { statusPayload } from './statusFrames.ts';

/** How the cells of a plan are run. */
export interface Manner {
  readonly afterFailure: AfterFailure;
  readonly stores: Stores;
  /** Who may be asked by them. */
  readonly asking?: Asking;
  readonly mayReuse: (cellId: string) => boolean;
  readonly onStart?: (cellId: string) => void;
  readonly onEnded?: (outcome: CellOutcome) => void;
}

const atOnce = availableParallelism();

/** Resolves when all that will run has ended. */
export async function runPlan(
  host: RunHost,
  steps: readonly string[],
  manner: Manner,
  signal: AbortSignal,
): Promise<void> {
  // One alone needs no room beside others.
  const lanes = steps.length < 2 ? new Map<string, undefined>() : await lanesOf(host, steps);
  const over = Promise.withResolvers<void>();

  function perform(actions: readonly RunAction[]): void {
    for (const action of actions) {
      if (action.type === 'start') runOne(action.cellId).catch(over.reject);
      else if (action.type === 'passOver') host.broadcast('cell_status', statusPayload(host.session(), action.cellId));
      else if (action.type === 'planOver') over.resolve();
    }
  }

  async function runOne(cellId: string): Promise<void> {
    manner.onStart?.(cellId);
    const { run, cells } = host.session();
    const isAsked = run.current?.requested === cellId;
    // Whoever marked a line of a cell that is to run wants to see it run; what is up to date is left alone.
    const isWatched = host.mayStop(cellId, manner.asking ?? {}) && (isAsked || cells.get(cellId)?.status !== 'ready');
    const outcome = await runCell(host, cellId, {
      ...manner.asking,
      stores: manner.stores,
      useCache: manner.mayReuse(cellId) && !isWatched,
      isAsked,
      signal,
    });
    manner.onEnded?.(outcome);
    perform(host.advance({ type: 'ended', cellId, as: outcome.status }).actions);
  }

  const plan = { steps, waitsFor: waits(host, steps, lanes), atOnce, laneOf: (id: string) => lanes.get(id) };
  perform(host.advance({ type: 'planned', plan, afterFailure: manner.afterFailure }).actions);
  await over.promise;
}

/** A cell waits for those it reads from, and for those before it that it may meet in files or elsewhere. */
function waits(
  host: RunHost,
  steps: readonly string[],
  lanes: ReadonlyMap<string, Lane | undefined>,
): (cellId: string) => readonly string[] {
  const { wires } = host.session().graph;
  const before = orderedBy(steps, (id) => (lanes.get(id)?.isApart ? nothingTouched : host.effectsOf(id)));
  return (id) => [...(wires.get(id) ?? []).map(({ from }) => from), ...(before.get(id) ?? [])];
}

async function lanesOf(host: RunHost, steps: readonly string[]): Promise<ReadonlyMap<string, Lane | undefined>> {
  return new Map(await Promise.all(steps.map(async (id) => [id, await host.laneOf(id)] as const)));
}
