// Runs of a notebook: one at a time, whatever starts it; cells of one run that do not need each other run side by side. Which
// run there is and what comes next is part of the session's state; here it is carried out.
import { randomBytes } from 'node:crypto';
import { CellRefused } from '../languages/index.ts';
import { above, arranged, cascadeTo } from '../state/index.ts';
import type { Stores } from './cellWork.ts';
import type { CellOutcome, RunHost, RunMode } from './host.ts';
import { createOneRun, type OneRun } from './oneRun.ts';
import type { Asking } from './questions.ts';
import { type Manner, runPlan } from './runPlan.ts';
import { gone, goneText, runTo } from './runTo.ts';

/** Each way to run throws when another run is active. */
export interface Runner extends Omit<OneRun, 'begin'> {
  /** The cells that run now, or null where no run is active. */
  active(): { readonly requested: string | null; readonly running: ReadonlySet<string> } | null;
  /** A target and what it needs, remembered until the target runs. */
  prompt(cellId: string): { planId: string; cells: readonly string[] } | undefined;
  /** True when that was asked, and the cell has not run since. */
  knowsPlan(planId: string, cellId: string): boolean;
  /** Runs one cell and, unless forced, what it needs first. */
  run(cellId: string, mode: RunMode, options?: { planId?: string; stores?: Stores } & Asking): Promise<CellOutcome>;
  /** The cells that such a run would take. */
  stepsTo(cellId: string, mode: RunMode): readonly string[];
  everyStep(): readonly string[];
  runAll(options: { continueOnError: boolean; useCache: boolean; stores?: Stores } & Asking): Promise<void>;
  /** Runs what a cell needs, then `work` in place of the cell. Rejects with CellRefused when something above it fails. */
  runBefore<T>(cellId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Runs cells and then, of those below, the ones that are chosen once they are ready; what fails is gone round. */
  runDown(
    cellIds: readonly string[],
    choose: (ready: readonly string[], signal: AbortSignal) => Promise<readonly string[]>,
  ): Promise<void>;
  /** Runs the cells that are chosen once the run is reserved; what fails is gone round. */
  runChosen(choose: (signal: AbortSignal) => Promise<readonly string[]>): Promise<void>;
}

const newPlanId = (): string => randomBytes(4).toString('hex');

export function createRunner(host: RunHost): Runner {
  const { begin, cancel, stop, close, rest } = createOneRun(host);
  const current = () => host.session().run.current;

  const goingRound = (stores: Stores): Manner => ({ afterFailure: 'goRound', stores, mayReuse: () => true });

  async function runThese(chosen: readonly string[], stores: Stores, signal: AbortSignal): Promise<void> {
    const wanted = new Set(chosen);
    const steps = inOrder((id) => wanted.has(id));
    await runPlan(host, steps, goingRound(stores), signal);
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

    run(cellId, mode, { planId = newPlanId(), stores = 'read', ...asking } = {}) {
      return begin(cellId, stepsTo(cellId, mode), async (signal) => {
        const steps = await stepsNow(() => stepsTo(cellId, mode), cellId);
        if (steps === undefined) return gone(cellId);
        return runTo(host, { target: cellId, needed: steps, mode, planId, stores, asking }, signal);
      });
    },

    runAll({ continueOnError, useCache, stores = 'read', ...asking }) {
      return begin(null, everyStep(), async (signal) => {
        await host.catchUp(everyStep());
        const manner: Manner = {
          afterFailure: continueOnError ? 'goRound' : 'end',
          stores,
          asking,
          mayReuse: () => useCache,
        };
        await runPlan(host, everyStep(), manner, signal);
      });
    },

    runBefore(cellId, work) {
      const stepsAbove = (): string[] => {
        const needed = new Set(cascadeTo(host.session(), cellId).filter((id) => id !== cellId));
        return inOrder((id) => needed.has(id));
      };
      return begin(cellId, stepsAbove(), async (signal) => {
        const steps = await stepsNow(stepsAbove, cellId);
        if (steps === undefined) throw new CellRefused('CellGone', goneText(cellId));
        const target = steps.at(-1);
        if (target !== undefined) {
          const run = { target, needed: steps, mode: 'normal', planId: newPlanId() } as const;
          const { status, error } = await runTo(host, run, signal);
          if (status !== 'ready')
            throw new CellRefused('UpstreamFailed', `What the cell reads could not be had: ${error}`);
        }
        return work(signal);
      });
    },

    runDown(cellIds, choose) {
      return begin(cellIds[0] ?? null, cellIds, async (signal) => {
        await host.catchUp(cellIds);
        const there = cellIds.filter((id) => host.session().facts.has(id));
        await runPlan(host, there, goingRound('read'), signal);
        const ready = there.filter((id) => host.session().cells.get(id)?.status === 'ready');
        if (ready.length > 0) await runThese(await choose(ready, signal), 'read', signal);
      });
    },

    runChosen(choose) {
      return begin(null, [], async (signal) => {
        const chosen = await choose(signal);
        await host.catchUp(chosen);
        // Whoever made a notebook reactive looks at it: what is written below next is to find its values.
        await runThese(chosen, 'values', signal);
      });
    },

    cancel,
    stop,
    close,
    rest,
  };
}
