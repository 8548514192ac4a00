// Runs of a notebook: one at a time, whatever starts it; cells of one run that do not need each other run side by side. Which
// run there is and what comes next is part of the session's state; here it is carried out.
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { refusals } from '../../errors/index.ts';
import { CellRefused, type Lane } from '../languages/index.ts';
import { nothingTouched, orderedBy } from '../run/index.ts';
import { type AfterFailure, above, arranged, cascadeTo, type RunAction } from '../session/index.ts';
import type { CellOutcome, CellRunOptions, RunHost, RunMode } from './host.ts';
import { problemLine } from './outputFrames.ts';
import type { Asking } from './questions.ts';
import { announce, runCell, wasCancelled } from './runCell.ts';
import { statusPayload } from './statusFrames.ts';

/** Each way to run throws when another run is active. */
export interface Runner {
  /** The cells that run now, or null where no run is active. */
  active(): { readonly requested: string | null; readonly running: ReadonlySet<string> } | null;
  /** A target and what it needs, remembered until the target runs. */
  prompt(cellId: string): { planId: string; cells: readonly string[] } | undefined;
  /** True when that was asked, and the cell has not run since. */
  knowsPlan(planId: string, cellId: string): boolean;
  /**
   * Runs one cell and, unless forced, what it needs first. `storesLeaves`: a cell that nobody reads from stores what it defines
   * all the same. `keepsValues`: every cell stores its data for readers to come, so that it need not run again for them.
   */
  run(cellId: string, mode: RunMode, options?: { planId?: string } & Partial<Storing>): Promise<CellOutcome>;
  /** The cells that such a run would take. */
  stepsTo(cellId: string, mode: RunMode): readonly string[];
  everyStep(): readonly string[];
  runAll(options: { continueOnError: boolean; useCache: boolean; keepsValues?: boolean }): Promise<void>;
  /** Runs what a cell needs, then `work` in place of the cell. Rejects with CellRefused when something above it fails. */
  runBefore<T>(cellId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs a cell and then, of the cells below it, those that are chosen once it has run; what fails is gone round. */
  runDown(
    cellId: string,
    choose: (signal: AbortSignal) => Promise<readonly string[]> | readonly string[],
  ): Promise<void>;
  /** Runs the cells that are chosen once the run is reserved; what fails is gone round. */
  runChosen(choose: (signal: AbortSignal) => Promise<readonly string[]>): Promise<void>;
  /** True when a run of that cell was in flight. */
  cancel(cellId: string): boolean;
  /** Ends whatever runs and resolves when it has ended. */
  stop(): Promise<void>;
  /** The same, and nothing begins any more. */
  close(): Promise<void>;
  /** Waits for what runs, and cancels what has not ended in time; gives the cells that were cut short. */
  rest(milliseconds: number): Promise<readonly string[]>;
}

type Storing = Pick<CellRunOptions, 'storesLeaves' | 'keepsValues' | keyof Asking>;

const storesWhatIsRead: Storing = { storesLeaves: false, keepsValues: false };

/** How the cells of a plan are run. */
interface Manner {
  readonly afterFailure: AfterFailure;
  readonly stores: Storing;
  readonly mayReuse: (cellId: string) => boolean;
  readonly onStart?: (cellId: string) => void;
  readonly onEnded?: (outcome: CellOutcome) => void;
}

const newPlanId = (): string => randomBytes(4).toString('hex');

const atOnce = availableParallelism();

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
  let stopping = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const current = () => host.session().run.current;

  function begin<T>(requested: string | null, cells: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const { refusal } = host.advance({ type: 'requested', requested, cells });
    if (refusal)
      throw refusal.type === 'running'
        ? refusals.notebookRunning(refusal.cellId ?? requested ?? '')
        : refusals.notebookClosing();
    stopping = new AbortController();
    const begun = performance.now();
    const outcome = work().finally(() => {
      const outcomes = current()?.outcomes ?? { ready: 0, error: 0, cancelled: 0 };
      host.advance({ type: 'released' });
      host.rested({ requested, outcomes, durationMs: Math.round(performance.now() - begun) });
    });
    ended = outcome.catch((error: unknown) => host.fault(error));
    return outcome;
  }

  /** Runs these cells in the order that they need; resolves when all that will has ended. */
  async function runPlan(steps: readonly string[], manner: Manner): Promise<void> {
    // One alone needs no room beside others.
    const lanes = steps.length < 2 ? new Map<string, undefined>() : await lanesOf(steps);
    const over = Promise.withResolvers<void>();

    function perform(actions: readonly RunAction[]): void {
      for (const action of actions) {
        if (action.type === 'start') runOne(action.cellId).catch(over.reject);
        else if (action.type === 'passOver')
          host.broadcast('cell_status', statusPayload(host.session(), action.cellId));
        else if (action.type === 'planOver') over.resolve();
      }
    }

    async function runOne(cellId: string): Promise<void> {
      manner.onStart?.(cellId);
      const outcome = await runCell(host, cellId, {
        ...manner.stores,
        useCache: manner.mayReuse(cellId),
        isAsked: current()?.requested === cellId,
        signal: stopping.signal,
      });
      manner.onEnded?.(outcome);
      perform(host.advance({ type: 'ended', cellId, as: outcome.status }).actions);
    }

    const plan = { steps, waitsFor: waits(steps, lanes), atOnce, laneOf: (id: string) => lanes.get(id) };
    perform(host.advance({ type: 'planned', plan, afterFailure: manner.afterFailure }).actions);
    await over.promise;
  }

  /** A cell waits for those it reads from, and for those before it that it may meet in files or elsewhere. */
  function waits(
    steps: readonly string[],
    lanes: ReadonlyMap<string, Lane | undefined>,
  ): (cellId: string) => readonly string[] {
    const { wires } = host.session().graph;
    const before = orderedBy(steps, (id) => (lanes.get(id)?.isApart ? nothingTouched : host.effectsOf(id)));
    return (id) => [...(wires.get(id) ?? []).map(({ from }) => from), ...(before.get(id) ?? [])];
  }

  async function lanesOf(steps: readonly string[]): Promise<ReadonlyMap<string, Lane | undefined>> {
    return new Map(await Promise.all(steps.map(async (id) => [id, await host.laneOf(id)] as const)));
  }

  /** Runs what leads to a cell, and the cell; the first failure ends it. */
  async function runTo(
    target: string,
    needed: readonly string[],
    mode: RunMode,
    planId: string,
    stores: Storing = storesWhatIsRead,
  ): Promise<CellOutcome> {
    const steps = needed.length === 0 ? [target] : needed;
    const total = needed.length;
    const ends: CellOutcome[] = [];
    const begun = new Set<string>();
    const progress = (cellId: string): void => {
      const completed = ends.filter(({ status }) => status === 'ready').length;
      if (total > 1) host.broadcast('cascade_progress', { plan_id: planId, current_cell_id: cellId, completed, total });
    };
    await runPlan(steps, {
      afterFailure: 'end',
      stores,
      mayReuse: (cellId) => mode === 'normal' || cellId !== target,
      onStart(cellId) {
        begun.add(cellId);
        progress(cellId);
      },
      onEnded: (outcome) => ends.push(outcome),
    });
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

  const runEvery = (
    cells: readonly string[],
    stores: Storing,
    useCache = true,
    afterFailure: AfterFailure = 'goRound',
  ) => runPlan(cells, { afterFailure, stores, mayReuse: () => useCache });

  async function runThese(chosen: readonly string[], stores: Storing): Promise<void> {
    const wanted = new Set(chosen);
    await runEvery(
      inOrder((id) => wanted.has(id)),
      stores,
    );
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
  async function stepsNow(steps: () => string[], target: string): Promise<string[] | undefined> {
    await host.catchUp([...steps(), target]);
    if (!host.session().facts.has(target)) return undefined;
    await host.lookAtFiles(above(host.session(), target));
    return steps();
  }

  async function stop(): Promise<void> {
    perform(host.advance({ type: 'cancelled', cellId: null }).actions);
    await ended;
  }

  function perform(actions: readonly RunAction[]): void {
    if (actions.some(({ type }) => type === 'abort')) stopping.abort();
  }

  return {
    stepsTo,
    everyStep,
    active() {
      const run = current();
      return run && { requested: run.requested, running: run.steps.running };
    },

    prompt(cellId) {
      const session = host.session();
      const direct = session.graph.wires.get(cellId) ?? [];
      if (direct.every(({ from }) => session.cells.get(from)?.status === 'ready')) return undefined;
      const planId = newPlanId();
      host.advance({ type: 'prompted', planId, cellId });
      return { planId, cells: cascadeTo(session, cellId) };
    },

    knowsPlan: (planId, cellId) => host.session().run.prompted.get(planId) === cellId,

    run(cellId, mode, { planId = newPlanId(), ...stores } = {}) {
      return begin(cellId, stepsTo(cellId, mode), async () => {
        const steps = await stepsNow(() => stepsTo(cellId, mode), cellId);
        if (steps === undefined) return gone(cellId);
        return runTo(cellId, steps, mode, planId, { ...storesWhatIsRead, ...stores });
      });
    },

    runAll({ continueOnError, useCache, keepsValues = false }) {
      return begin(null, everyStep(), async () => {
        await host.catchUp(everyStep());
        const stores = { ...storesWhatIsRead, keepsValues };
        await runEvery(everyStep(), stores, useCache, continueOnError ? 'goRound' : 'end');
      });
    },

    runBefore(cellId, work) {
      const stepsAbove = (): string[] => {
        const needed = new Set(cascadeTo(host.session(), cellId).filter((id) => id !== cellId));
        return inOrder((id) => needed.has(id));
      };
      return begin(cellId, stepsAbove(), async () => {
        const steps = await stepsNow(stepsAbove, cellId);
        if (steps === undefined) throw new CellRefused('CellGone', goneText(cellId));
        const last = steps.at(-1);
        const outcome = last === undefined ? null : await runTo(last, steps, 'normal', newPlanId());
        if (outcome && outcome.status !== 'ready')
          throw new CellRefused('UpstreamFailed', `What the cell reads could not be had: ${outcome.error}`);
        return work(stopping.signal);
      });
    },

    runDown(cellId, choose) {
      return begin(cellId, [cellId], async () => {
        await host.catchUp([cellId]);
        if (!host.session().facts.has(cellId)) return;
        await runEvery([cellId], storesWhatIsRead);
        if (current()?.outcomes.ready !== 1) return;
        await runThese(await choose(stopping.signal), storesWhatIsRead);
      });
    },

    runChosen(choose) {
      return begin(null, [], async () => {
        const chosen = await choose(stopping.signal);
        await host.catchUp(chosen);
        // Whoever made a notebook reactive looks at it: what is written below next is to find its values.
        await runThese(chosen, { ...storesWhatIsRead, keepsValues: true });
      });
    },

    cancel(cellId) {
      const { refusal, actions } = host.advance({ type: 'cancelled', cellId });
      perform(actions);
      return refusal === null;
    },

    async rest(milliseconds) {
      if (!current()) return [];
      const late = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => late.resolve('late'), milliseconds);
      const outcome = await Promise.race([ended.then(() => 'ended' as const), late.promise]);
      clearTimeout(timer);
      if (outcome === 'ended') return [];
      const cut = [...(current()?.steps.running ?? [])];
      await stop();
      return cut;
    },

    stop,
    async close() {
      perform(host.advance({ type: 'closed' }).actions);
      await ended;
    },
  };
}
