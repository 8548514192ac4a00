// What a worker can do and what it runs cells in, asked before a cell that needs it is sent. An answer is kept for a minute;
// only a literal `true` is one, and a worker that could not be asked is not taken for one that cannot.
import type { WorkerHealth } from '../protocol/workers.ts';
import { askHealth } from './askHealth.ts';
import { type RemoteWorker, routeOf } from './spec.ts';

export type Feature = 'output_dirs' | 'folder_inputs' | 'locked_environments' | 'locked_r_environments';

export interface WorkerFacts {
  readonly features: Readonly<Record<string, unknown>>;
  /** The worker's own interpreter and what is installed for it; undefined where it does not say. */
  readonly own: { readonly python: string; readonly digest: string } | undefined;
  /** How many cells a cluster takes at once; undefined for a worker that is none, or does not say. */
  readonly slots: number | undefined;
}

export interface Features {
  /** Undefined when the worker could not be asked. */
  has(worker: RemoteWorker, feature: Feature): Promise<boolean | undefined>;
  /** What it said at most so long ago; undefined when it could not be asked. */
  facts(worker: RemoteWorker, options: { readonly keptMilliseconds: number }): Promise<WorkerFacts | undefined>;
  /** Why it could not be asked, as far as that is known. */
  whyNot(worker: RemoteWorker): string;
  /** Asks anew next time: what it did was not what it had said. */
  forget(worker: RemoteWorker): void;
}

interface Answer {
  readonly at: number;
  readonly facts: WorkerFacts | undefined;
  /** Why there are none. */
  readonly reason?: string;
}

const keptMilliseconds = 60_000;
/** Whoever asks again at once is not kept waiting twice. */
const failureMilliseconds = 2000;
const askMilliseconds = 20_000;

export function createFeatures(): Features {
  const known = new Map<string, Answer>();
  const asking = new Map<string, Promise<Answer>>();

  async function ask(worker: RemoteWorker, url: string): Promise<Omit<Answer, 'at'>> {
    const signal = AbortSignal.timeout(askMilliseconds);
    try {
      // A worker that has just started answers at once with what it knows, unless it is told to wait.
      const said = await askHealth(worker, `${url}?complete=true`, signal);
      if ([404, 405, 501].includes(said.status)) return { facts: { features: {}, own: undefined, slots: undefined } };
      return said.health === undefined ? { facts: undefined, reason: said.reason } : { facts: factsIn(said.health) };
    } catch (error) {
      if (signal.aborted) return { facts: undefined, reason: `it did not answer within ${askMilliseconds / 1000} s` };
      const reason = error instanceof Error ? error.message : String(error);
      return { facts: undefined, reason: reason.replace(`The worker ${worker.name} `, 'it ') };
    }
  }

  async function answered(worker: RemoteWorker, url: string): Promise<Answer> {
    const answer = { ...(await ask(worker, url)), at: performance.now() };
    known.set(url, answer);
    return answer;
  }

  async function facts(
    worker: RemoteWorker,
    { keptMilliseconds }: { readonly keptMilliseconds: number },
  ): Promise<WorkerFacts | undefined> {
    const url = routeOf(worker.url, '/health');
    const kept = known.get(url);
    const good = kept?.facts ? keptMilliseconds : failureMilliseconds;
    if (kept && performance.now() - kept.at < good) return kept.facts;
    const running = asking.get(url) ?? answered(worker, url).finally(() => asking.delete(url));
    asking.set(url, running);
    return (await running).facts;
  }

  return {
    facts,
    async has(worker, feature) {
      const found = await facts(worker, { keptMilliseconds });
      return found && found.features[feature] === true;
    },
    whyNot: ({ url }) => known.get(routeOf(url, '/health'))?.reason ?? 'it did not answer',
    forget: ({ url }) => void known.delete(routeOf(url, '/health')),
  };
}

const factsIn = ({ capabilities, own_environment, max_concurrent }: WorkerHealth): WorkerFacts => ({
  features: capabilities.features,
  own: own_environment ?? undefined,
  slots: capabilities.features.cluster === true ? (max_concurrent ?? undefined) : undefined,
});
