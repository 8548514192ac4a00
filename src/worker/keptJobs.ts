// The jobs of one worker by the names that callers gave them. A caller that was cut off finds its job again by that name,
// or learns that the worker never had it.
import type { Log } from '../observability/index.ts';
import { createWatchedJob, type JobEnding, type WatchedJob } from './jobs.ts';
import { answerOf } from './protocolApp.ts';

export interface KeptJobs {
  /** Resolves when the work has everything it needs from its caller; throws what the work refused until then. */
  begin(id: string, work: (job: JobWork) => Promise<EndedWork>): Promise<void>;
  find(id: string): WatchedJob | undefined;
  /** Ends it where it still runs, and forgets it. False where there is none. */
  drop(id: string): Promise<boolean>;
}

export interface JobWork {
  readonly signal: AbortSignal;
  onTaken(): void;
  onBegin(): void;
}

export interface EndedWork {
  readonly ending: JobEnding;
  drop(): Promise<void>;
}

interface Kept {
  readonly job: WatchedJob;
  readonly stop: AbortController;
  readonly taken: Promise<void>;
  readonly ended: Promise<EndedWork | undefined>;
}

/** A result that nobody came for. */
const keptMilliseconds = 6 * 3_600_000;

export function createKeptJobs(log: Log): KeptJobs {
  const jobs = new Map<string, Kept>();

  async function drop(id: string): Promise<boolean> {
    const kept = jobs.get(id);
    if (!kept) return false;
    jobs.delete(id);
    kept.stop.abort();
    await (await kept.ended)?.drop();
    return true;
  }

  return {
    find: (id) => jobs.get(id)?.job,
    drop,
    async begin(id, work) {
      const known = jobs.get(id);
      if (known) return known.taken;
      const job = createWatchedJob({ state: 'starting' });
      const stop = new AbortController();
      const { promise: taken, resolve: onTaken, reject } = Promise.withResolvers<void>();
      const running = work({ signal: stop.signal, onTaken, onBegin: () => job.tell({ state: 'running' }) });
      const ended = running.then(
        (end) => {
          job.end(end.ending);
          setTimeout(() => void drop(id), keptMilliseconds).unref();
          return end;
        },
        (error: unknown) => {
          reject(error);
          job.end(failureOf(error, log));
          return undefined;
        },
      );
      jobs.set(id, { job, stop, taken, ended });
      await taken.catch((error: unknown) => {
        jobs.delete(id);
        throw error;
      });
    },
  };
}

function failureOf(error: unknown, log: Log): JobEnding {
  const { status, body } = answerOf(error, log);
  const said = body as { readonly detail?: string; readonly error?: string };
  return { kind: 'failed', status, error: said.detail ?? said.error ?? '' };
}
