// What agents are doing in each open notebook, so that people see it as it happens and can stop it. Whoever stops them ends what
// is under way, and nothing is changed by an agent until somebody lets them go on, also when the notebook was closed and opened
// meanwhile, which an agent can do itself. Looking is never stopped.
import { randomUUID } from 'node:crypto';
import { refusals } from '../errors/index.ts';
import { whileAllowed } from '../identity/index.ts';
import type { AgentActivityBody, AgentActRecord } from '../protocol/index.ts';
import { createRecentlyUsed } from '../recentlyUsed.ts';

export type NewAct = Omit<AgentActRecord, 'id' | 'since'>;
type Outcome = AgentActivityBody['recent'][number]['outcome'];

export interface AgentActivity {
  view(): AgentActivityBody;
  /** Does the work, which is told until it is over; refused while agents are stopped, and given up when they are. */
  during<T>(act: NewAct, work: (stopped: AbortSignal) => Promise<T>): Promise<T>;
  stop(by: string): void;
  goOn(): void;
}

export interface AgentActivities {
  /** `notebook`: what is open, the same for everybody who has it open. */
  of(notebook: { readonly directory: string }, tell: (view: AgentActivityBody) => void): AgentActivity;
}

const keptActs = 20;
/** Of notebooks that agents were stopped in. */
const keptStops = 10_000;

export function createAgentActivities(): AgentActivities {
  const known = new WeakMap<object, { readonly activity: AgentActivity; tell: (view: AgentActivityBody) => void }>();
  /** By whom, by the folder of the notebook. */
  const stops = createRecentlyUsed<string>(keptStops);
  return {
    of(notebook, tell) {
      const entry = known.get(notebook);
      if (entry) {
        // The session that it was told through before may be over.
        entry.tell = tell;
        return entry.activity;
      }
      const { directory } = notebook;
      const made = {
        tell,
        activity: createAgentActivity((view) => made.tell(view), {
          stoppedBy: stops.get(directory) ?? null,
          onStopped: (by) => void (by === null ? stops.delete(directory) : stops.set(directory, by)),
        }),
      };
      known.set(notebook, made);
      const view = made.activity.view();
      if (view.stopped_by !== null) tell(view);
      return made.activity;
    },
  };
}

export function createAgentActivity(
  tell: (view: AgentActivityBody) => void,
  before: { readonly stoppedBy: string | null; readonly onStopped: (by: string | null) => void } = {
    stoppedBy: null,
    onStopped() {},
  },
  now: () => number = () => Date.now() / 1000,
): AgentActivity {
  const underWay = new Map<string, { readonly act: AgentActRecord; readonly stop: AbortController }>();
  let recent: AgentActivityBody['recent'] = [];
  let { stoppedBy } = before;

  const view = (): AgentActivityBody => ({
    acts: [...underWay.values()].map(({ act }) => act),
    recent: [...recent],
    stopped_by: stoppedBy,
  });

  function ended(act: AgentActRecord, outcome: Outcome): void {
    underWay.delete(act.id);
    recent = [{ ...act, outcome }, ...recent].slice(0, keptActs);
    tell(view());
  }

  return {
    view,
    async during(wanted, work) {
      if (stoppedBy !== null) throw refusals.agentsStopped(stoppedBy);
      const act = { ...wanted, id: randomUUID().slice(0, 8), since: now() };
      const stop = new AbortController();
      const stopped = Promise.withResolvers<never>();
      stop.signal.addEventListener('abort', () => stopped.reject(stop.signal.reason));
      stopped.promise.catch(() => {}); // nobody waits for it when the work is over before
      underWay.set(act.id, { act, stop });
      tell(view());
      let outcome: Outcome = 'failed';
      try {
        const result = await Promise.race([whileAllowed(stop.signal, () => work(stop.signal)), stopped.promise]);
        outcome = 'done';
        return result;
      } finally {
        ended(act, stop.signal.aborted ? 'stopped' : outcome);
      }
    },
    stop(by) {
      stoppedBy = by;
      before.onStopped(by);
      for (const { stop } of underWay.values()) stop.abort(refusals.agentsStopped(by));
      tell(view());
    },
    goOn() {
      stoppedBy = null;
      before.onStopped(null);
      tell(view());
    },
  };
}
