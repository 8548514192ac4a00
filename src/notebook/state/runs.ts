// The one run that a notebook has at a time, as a value: what is reserved for it, what runs, what comes next. `advance` gives the
// next state and what is to be done now, or says why not.
import { below } from './plan.ts';
import type { AfterFailure, CurrentRun, EndedAs, RunState } from './runState.ts';
import type { SessionState } from './state.ts';
import { done, ending, free, isOver, laidOut, type Plan, started } from './steps.ts';

export type RunOperation =
  | { readonly type: 'prompted'; readonly planId: string; readonly cellId: string }
  /** A run is reserved before anything is looked at, so that two requests never both believe they may start. */
  | { readonly type: 'requested'; readonly requested: string | null; readonly cells: Iterable<string> }
  /** What the run takes, once that is known: what it held reserved before stays so. A run may have one plan after another. */
  | { readonly type: 'planned'; readonly plan: Plan; readonly afterFailure: AfterFailure }
  | { readonly type: 'ended'; readonly cellId: string; readonly as: EndedAs }
  /** By one of its cells, or null for whatever runs. */
  | { readonly type: 'cancelled'; readonly cellId: string | null }
  /** It is over, and another may be asked for. */
  | { readonly type: 'released' }
  /** The notebook is being closed: what runs is ended, and nothing begins any more. */
  | { readonly type: 'closed' };

export type RunAction =
  | { readonly type: 'start'; readonly cellId: string }
  /** One above it failed; it stays as it is. */
  | { readonly type: 'passOver'; readonly cellId: string }
  /** End what runs. */
  | { readonly type: 'abort' }
  /** Everything of the plan has ended that will. */
  | { readonly type: 'planOver' };

/** Why no other run may begin. */
export type Busy = { readonly type: 'running'; readonly cellId: string | null } | { readonly type: 'closed' };

/** `notRunning`: nothing runs that could go on or be cancelled so. */
export type RunRefusal = Busy | { readonly type: 'notRunning' };

export interface Advanced {
  readonly state: SessionState;
  readonly actions: readonly RunAction[];
  readonly refusal: RunRefusal | null;
}

const noSteps = laidOut({ steps: [], waitsFor: () => [], atOnce: 0 });

export function advance(state: SessionState, operation: RunOperation): Advanced {
  const { run } = state;
  const { current } = run;
  switch (operation.type) {
    case 'prompted':
      return changed(state, { ...run, prompted: withQuestion(run.prompted, operation) });
    case 'requested': {
      const refusal = busy(run);
      if (refusal) return refused(state, refusal);
      const number = run.count + 1;
      return withCurrent(
        { ...state, run: { ...run, count: number } },
        {
          number,
          requested: operation.requested,
          reserved: new Set(operation.cells),
          steps: noSteps,
          afterFailure: 'end',
          unreached: new Set(),
          isCancelled: false,
          outcomes: { ready: 0, error: 0, cancelled: 0 },
        },
      );
    }
    case 'planned': {
      if (!current) return refused(state, { type: 'notRunning' });
      const steps = laidOut(operation.plan);
      const reserved = new Set([...current.reserved, ...operation.plan.steps]);
      return goOn(state, {
        ...current,
        reserved,
        steps: current.isCancelled ? ending(steps) : steps,
        afterFailure: operation.afterFailure,
        unreached: new Set(),
      });
    }
    case 'ended': {
      if (!current?.steps.running.has(operation.cellId)) return refused(state, { type: 'notRunning' });
      return goOn(state, afterOne(state, current, operation.cellId, operation.as));
    }
    case 'cancelled': {
      const { cellId } = operation;
      if (!current || !(cellId === null || current.reserved.has(cellId) || current.requested === cellId))
        return refused(state, { type: 'notRunning' });
      return cancelled(state, current);
    }
    case 'released':
      return changed(state, { ...run, current: null });
    case 'closed': {
      const closed = { ...state, run: { ...run, isClosed: true } };
      return current ? cancelled(closed, current) : changed(state, closed.run);
    }
  }
}

/** What keeps another run from beginning, as far as the runs themselves go. */
export function busy({ current, isClosed }: RunState): Busy | null {
  if (isClosed) return { type: 'closed' };
  if (!current) return null;
  const [first = current.requested] = current.steps.running;
  return { type: 'running', cellId: first };
}

function afterOne(state: SessionState, run: CurrentRun, cellId: string, as: EndedAs): CurrentRun {
  const reserved = new Set(run.reserved);
  reserved.delete(cellId);
  const steps = done(run.steps, [cellId]);
  const outcomes = { ...run.outcomes, [as]: run.outcomes[as] + 1 };
  const isEnd = as === 'cancelled' || (as === 'error' && run.afterFailure === 'end');
  const unreached = as === 'error' ? new Set([...run.unreached, ...below(state, cellId)]) : run.unreached;
  return { ...run, reserved, unreached, outcomes, steps: isEnd ? ending(steps) : steps };
}

/** Starts what can start; what nobody can reach any more, or has deleted meanwhile, is passed over. */
function goOn(state: SessionState, run: CurrentRun): Advanced {
  const actions: RunAction[] = [];
  let { steps } = run;
  for (;;) {
    const out = free(steps).filter((id) => run.unreached.has(id) || !state.facts.has(id));
    if (out.length === 0) break;
    for (const cellId of out) if (state.facts.has(cellId)) actions.push({ type: 'passOver', cellId });
    steps = done(steps, out);
  }
  const next = started(steps);
  for (const cellId of next.begun) actions.push({ type: 'start', cellId });
  if (isOver(next.steps)) actions.push({ type: 'planOver' });
  return withCurrent(answered(state, next.begun), { ...run, steps: next.steps }, actions);
}

/** Nobody answers more than these; the oldest go first. */
const mostPrompted = 32;

function withQuestion(
  prompted: RunState['prompted'],
  { planId, cellId }: { readonly planId: string; readonly cellId: string },
): RunState['prompted'] {
  return new Map([...prompted, [planId, cellId] as const].slice(-mostPrompted));
}

/** Cells that run need no answer any more. */
function answered(state: SessionState, begun: readonly string[]): SessionState {
  const { run } = state;
  const prompted = [...run.prompted].filter(([, cellId]) => !begun.includes(cellId));
  return prompted.length === run.prompted.size ? state : { ...state, run: { ...run, prompted: new Map(prompted) } };
}

function cancelled(state: SessionState, run: CurrentRun): Advanced {
  return withCurrent(state, { ...run, isCancelled: true, steps: ending(run.steps) }, [{ type: 'abort' }]);
}

const changed = (state: SessionState, run: RunState): Advanced => ({
  state: { ...state, run },
  actions: [],
  refusal: null,
});

const withCurrent = (state: SessionState, current: CurrentRun, actions: readonly RunAction[] = []): Advanced => ({
  state: { ...state, run: { ...state.run, current } },
  actions,
  refusal: null,
});

const refused = (state: SessionState, refusal: RunRefusal): Advanced => ({ state, actions: [], refusal });
