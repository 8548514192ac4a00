// The one run that a notebook may have at a time: it begins, is cancelled, is waited for and is over.
import { refusals } from '../../errors/index.ts';
import type { RunAction } from '../state/index.ts';
import type { RunHost } from './host.ts';

export interface OneRun {
  /** Throws when another run is active, or the notebook is being closed. */
  begin<T>(requested: string | null, cells: Iterable<string>, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** True when a run of that cell was in flight. */
  cancel(cellId: string): boolean;
  /** Ends whatever runs and resolves when it has ended. */
  stop(): Promise<void>;
  /** The same, and nothing begins any more. */
  close(): Promise<void>;
  /** Waits for what runs, and cancels what has not ended in time; gives the cells that were cut short. */
  rest(milliseconds: number): Promise<readonly string[]>;
}

export function createOneRun(host: RunHost): OneRun {
  let stopping = new AbortController();
  let ended: Promise<unknown> = Promise.resolve();
  const current = () => host.session().run.current;

  function perform(actions: readonly RunAction[]): void {
    if (actions.some(({ type }) => type === 'abort')) stopping.abort();
  }

  async function stop(): Promise<void> {
    perform(host.advance({ type: 'cancelled', cellId: null }).actions);
    await ended;
  }

  return {
    stop,

    begin(requested, cells, work) {
      const { refusal } = host.advance({ type: 'requested', requested, cells });
      if (refusal)
        throw refusal.type === 'running'
          ? refusals.notebookRunning(refusal.cellId ?? requested ?? '')
          : refusals.notebookClosing();
      stopping = new AbortController();
      const begun = performance.now();
      const outcome = work(stopping.signal).finally(() => {
        const outcomes = current()?.outcomes ?? { ready: 0, error: 0, cancelled: 0 };
        host.advance({ type: 'released' });
        host.rested({ requested, outcomes, durationMs: Math.round(performance.now() - begun) });
      });
      ended = outcome.catch((error: unknown) => host.fault(error));
      return outcome;
    },

    cancel(cellId) {
      const { refusal, actions } = host.advance({ type: 'cancelled', cellId });
      perform(actions);
      return refusal === null;
    },

    async close() {
      perform(host.advance({ type: 'closed' }).actions);
      await ended;
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
  };
}
