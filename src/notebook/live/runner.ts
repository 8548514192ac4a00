// Runs of a notebook: one at a time, whatever starts it; cells of one run that do not need each other run side by side. A
// run is reserved before anything is looked at, so that two requests never both believe they may start; cancelling ends
// the whole run that a cell belongs to.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { CellRefused, type Lane } from '../languages/index.ts';
import { above, arranged, below, cascadeTo, nothingTouched, orderedBy, runSchedule } from '../run/index.ts';
import type { CellOutcome, RunHost, RunMode } from './host.ts';
import { problemLine } from './outputFrames.ts';
import { announce, type CellRunOptions, runCell } from './runCell.ts';
import { statusPayload } from './statusFrames.ts';

/** The same object for as long as it lasts. */
export interface ActiveRun {
  /** The cell that was asked for; null for a run over all cells. */
  readonly requested: string | null;
  readonly running: ReadonlySet<string>;
}

export interface Runner {
  active(): ActiveRun | null;
  /** A target and what it needs, remembered until it is confirmed or something else ran. */
  prompt(cellId: string): { planId: string; cells: readonly string[] } | undefined;
  /** True when the plan is the one that was prompted last. */
  knowsPlan(planId: string, cellId: string): boolean;
  /**
   * Runs one cell and, unless forced, what it needs first. Undefined when another run is active. `storesLeaves`: a cell that
   * nobody reads from stores what it defines all the same. `keepsValues`: every cell stores its data for readers to come, so
   * that it need not run again for them.
   */
  run(
    cellId: string,
    mode: RunMode,
    options?: { planId?: string } & Partial<Storing>,
  ): Promise<CellOutcome> | undefined;
  /** The cells that such a run would take. */
  stepsTo(cellId: string, mode: RunMode): readonly string[];
  everyStep(): readonly string[];
  runAll(options: { continueOnError: boolean; useCache: boolean; keepsValues?: boolean }): Promise<void> | undefined;
  /** Runs what a cell needs, then `work` in place of the cell. Rejects with CellRefused when something above it fails. */
  runBefore<T>(cellId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> | undefined;
  /** Runs a cell and then, of the cells below it, those that are chosen once it has run; what fails is gone round. */
  runDown(
    cellId: string,
    choose: (signal: AbortSignal) => Promise<readonly string[]> | readonly string[],
  ): Promise<void> | undefined;
  /** Runs the cells that are chosen once the run is reserved; what fails is gone round. */
  runChosen(choose: (signal: AbortSignal) => Promise<readonly string[]>): Promise<void> | undefined;
  /** True when a run of that cell was in flight. */
  cancel(cellId: string): boolean;
  /** Ends whatever runs and resolves when it has ended. */
  stop(): Promise<void>;
  /** Waits for what runs, and cancels what has not ended in time; gives the cells that were cut short. */
  rest(milliseconds: number): Promise<readonly string[]>;
}

type Storing = Pick<CellRunOptions, 'storesLeaves' | 'keepsValues'>;

const storesWhatIsRead: Storing = { storesLeaves: false, keepsValues: false };

interface Current {
  readonly requested: string | null;
  readonly cells: Set<string>;
  readonly stop: AbortController;
  readonly running: Set<string>;
  readonly outcomes: Record<CellOutcome['status'], number>;
  ended: Promise<unknown>;
}

const newPlanId = (): string => randomBytes(4).toString('hex');

const atOnce = availableParallelism();

type Lanes = ReadonlyMap<string, Lane | undefined>;

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

const goneText = (cellId: string): string =>
  `Cell ${cellId} is not in the notebook any more: its file on disk was changed.`;

const gone = (cellId: string): CellOutcome => ({
  cellId,
  status: 'error',
  cacheHit: false,
  result: null,
  executed: null,
  error: goneText(cellId),
});

export function createRunner(host: RunHost): Runner {
  let current: Current | null = null;
  let plan: { planId: string; cellId: string } | null = null;

  function begin<T>(
    requested: string | null,
    cells: Iterable<string>,
    work: (run: Current) => Promise<T>,
  ): Promise<T> | undefined {
    if (current) return undefined;
    const run: Current = {
      requested,
      cells: new Set(cells),
      stop: new AbortController(),
      running: new Set(),
      outcomes: { ready: 0, error: 0, cancelled: 0 },
      ended: Promise.resolve(),
    };
    current = run;
    const begun = performance.now();
    const ended = work(run).finally(() => {
      current = null;
      plan = null;
      host.rested({ requested, outcomes: run.outcomes, durationMs: Math.round(performance.now() - begun) });
    });
    run.ended = ended.catch((error: unknown) => host.fault(error));
    return ended;
  }

  async function step(run: Current, cellId: string, useCache: boolean, stores: Storing): Promise<CellOutcome> {
    run.running.add(cellId);
    const isAsked = run.requested === cellId;
    const outcome = await runCell(host, cellId, { useCache, ...stores, isAsked, signal: run.stop.signal });
    run.cells.delete(cellId);
    run.running.delete(cellId);
    run.outcomes[outcome.status] += 1;
    return outcome;
  }

  /** A cell waits for those it reads from, and for those before it that it may meet in files or elsewhere. */
  function waits(steps: readonly string[], lanes: Lanes): (cellId: string) => readonly string[] {
    const { wires } = host.session().graph;
    const before = orderedBy(steps, (id) => (lanes.get(id)?.isApart ? nothingTouched : host.effectsOf(id)));
    return (id) => [...(wires.get(id) ?? []).map(({ from }) => from), ...(before.get(id) ?? [])];
  }

  async function lanesOf(steps: readonly string[]): Promise<Lanes> {
    // One alone needs no room beside others.
    if (steps.length < 2) return new Map();
    return new Map(await Promise.all(steps.map(async (id) => [id, await host.laneOf(id)] as const)));
  }

  async function runSteps(
    run: Current,
    target: string,
    steps: readonly string[],
    mode: RunMode,
    planId: string,
    stores: Storing = storesWhatIsRead,
  ): Promise<CellOutcome> {
    const total = steps.length;
    const begun = new Set<string>();
    let completed = 0;
    const progress = (cellId: string): void => {
      if (total > 1) host.broadcast('cascade_progress', { plan_id: planId, current_cell_id: cellId, completed, total });
    };
    let last: CellOutcome | undefined;
    let failure: CellOutcome | undefined;
    const lanes = await lanesOf(steps);
    await runSchedule({
      steps,
      waitsFor: waits(steps, lanes),
      atOnce,
      laneOf: (id) => lanes.get(id),
      async run(cellId) {
        begun.add(cellId);
        progress(cellId);
        last = await step(run, cellId, mode === 'normal' || cellId !== target, stores);
        if (last.status === 'ready') completed += 1;
        else failure ??= last;
        return failure === undefined;
      },
    });
    if (failure) {
      announce(
        host,
        steps.filter((id) => !begun.has(id)),
      );
      return failure.cellId === target ? failure : notReached(target, failure);
    }
    progress(target);
    return last ?? step(run, target, mode === 'normal', stores);
  }

  async function runEvery(
    run: Current,
    cells: readonly string[],
    continueOnError: boolean,
    useCache: boolean,
    stores: Storing = storesWhatIsRead,
  ): Promise<void> {
    const failed = new Set<string>();
    const lanes = await lanesOf(cells);
    await runSchedule({
      steps: cells,
      waitsFor: waits(cells, lanes),
      atOnce,
      laneOf: (id) => lanes.get(id),
      async run(cellId) {
        if (run.stop.signal.aborted) return false;
        // Cells may be deleted while others run.
        if (!host.session().facts.has(cellId)) return true;
        if (failed.has(cellId)) {
          host.broadcast('cell_status', statusPayload(host.session(), cellId));
          return true;
        }
        const { status } = await step(run, cellId, useCache, stores);
        if (status === 'ready') return true;
        for (const id of below(host.session(), cellId)) failed.add(id);
        return status !== 'cancelled' && continueOnError;
      },
    });
  }

  async function runThese(run: Current, chosen: readonly string[], stores: Storing): Promise<void> {
    const wanted = new Set(chosen);
    const cells = inOrder((id) => wanted.has(id));
    for (const id of cells) run.cells.add(id);
    await runEvery(run, cells, true, true, stores);
  }

  const inOrder = (belongs: (cellId: string) => boolean): string[] =>
    arranged(host.session(), host.cellOrder().filter(belongs));

  function stepsTo(cellId: string, mode: RunMode): string[] {
    const needed = mode === 'force' ? [cellId] : cascadeTo(host.session(), cellId);
    const wanted = new Set([...needed, cellId]);
    return inOrder((id) => wanted.has(id));
  }

  function everyStep(): string[] {
    const inGraph = new Set(host.session().graph.order);
    return inOrder((id) => inGraph.has(id) && !host.hasNothingToRun(id));
  }

  /**
   * The steps once what others wrote was taken over, and the files that cells above have read were looked at: what was true
   * may not be any more. Undefined when the target itself has gone.
   */
  async function stepsNow(run: Current, steps: () => string[], target: string): Promise<string[] | undefined> {
    await host.catchUp([...steps(), target]);
    if (!host.session().facts.has(target)) return undefined;
    await host.lookAtFiles(above(host.session(), target));
    const now = steps();
    for (const id of now) run.cells.add(id);
    return now;
  }

  return {
    stepsTo,
    everyStep,
    active: () => current,

    prompt(cellId) {
      const session = host.session();
      const direct = session.graph.wires.get(cellId) ?? [];
      if (direct.every(({ from }) => session.cells.get(from)?.status === 'ready')) return undefined;
      plan = { planId: newPlanId(), cellId };
      return { planId: plan.planId, cells: cascadeTo(session, cellId) };
    },

    knowsPlan: (planId, cellId) => plan?.planId === planId && plan.cellId === cellId,

    run(cellId, mode, { planId = newPlanId(), ...stores } = {}) {
      return begin(cellId, stepsTo(cellId, mode), async (run) => {
        const steps = await stepsNow(run, () => stepsTo(cellId, mode), cellId);
        if (steps === undefined) return gone(cellId);
        return runSteps(run, cellId, steps, mode, planId, { ...storesWhatIsRead, ...stores });
      });
    },

    runAll({ continueOnError, useCache, keepsValues = false }) {
      const stores = { ...storesWhatIsRead, keepsValues };
      return begin(null, everyStep(), async (run) => {
        await host.catchUp(everyStep());
        const cells = everyStep();
        for (const id of cells) run.cells.add(id);
        await runEvery(run, cells, continueOnError, useCache, stores);
      });
    },

    runBefore(cellId, work) {
      const stepsAbove = (): string[] => {
        const needed = new Set(cascadeTo(host.session(), cellId).filter((id) => id !== cellId));
        return inOrder((id) => needed.has(id));
      };
      return begin(cellId, stepsAbove(), async (run) => {
        const steps = await stepsNow(run, stepsAbove, cellId);
        if (steps === undefined) throw new CellRefused('CellGone', goneText(cellId));
        const last = steps.at(-1);
        const outcome = last === undefined ? null : await runSteps(run, last, steps, 'normal', newPlanId());
        if (outcome && outcome.status !== 'ready')
          throw new CellRefused('UpstreamFailed', `What the cell reads could not be had: ${outcome.error}`);
        return work(run.stop.signal);
      });
    },

    runDown(cellId, choose) {
      return begin(cellId, [cellId], async (run) => {
        await host.catchUp([cellId]);
        if (!host.session().facts.has(cellId)) return;
        const { status } = await step(run, cellId, true, storesWhatIsRead);
        if (status !== 'ready') return;
        await runThese(run, await choose(run.stop.signal), storesWhatIsRead);
      });
    },

    runChosen(choose) {
      return begin(null, [], async (run) => {
        const chosen = await choose(run.stop.signal);
        await host.catchUp(chosen);
        // Whoever made a notebook reactive looks at it: what is written below next is to find its values.
        await runThese(run, chosen, { ...storesWhatIsRead, keepsValues: true });
      });
    },

    cancel(cellId) {
      if (!current || !(current.cells.has(cellId) || current.requested === cellId)) return false;
      current.stop.abort();
      return true;
    },

    async rest(milliseconds) {
      if (!current) return [];
      const run = current;
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), milliseconds);
      const outcome = await Promise.race([run.ended.then(() => 'ended' as const), late.promise]);
      clearTimeout(timer);
      if (outcome === 'ended') return [];
      const cut = [...run.running];
      run.stop.abort();
      await run.ended;
      return cut;
    },

    async stop() {
      current?.stop.abort();
      await current?.ended;
    },
  };
}
