// What a worker can do and what it runs cells in, asked before a cell that needs it is sent. An answer is kept for a minute;
// only a literal `true` is one, and a worker that could not be asked is not taken for one that cannot.
import { shortText } from '../fetch/index.ts';
import { type WorkerHealth, workerHealthSchema } from '../protocol/workers.ts';
import { createWorkerClient } from './client.ts';
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
  /** Asks anew next time: what it did was not what it had said. */
  forget(worker: RemoteWorker): void;
}

interface Answer {
  readonly at: number;
  readonly facts: WorkerFacts | undefined;
}

const keptMilliseconds = 60_000;
/** Whoever asks again at once is not kept waiting twice. */
const failureMilliseconds = 2000;
const askMilliseconds = 20_000;

export function createFeatures(): Features {
  const known = new Map<string, Answer>();
  const asking = new Map<string, Promise<Answer>>();

  async function ask(worker: RemoteWorker, url: string): Promise<WorkerFacts | undefined> {
    try {
      const signal = AbortSignal.timeout(askMilliseconds);
      // A worker that has just started answers at once with what it knows, unless it is told to wait.
      const { status, body } = await createWorkerClient(worker).ask(`${url}?complete=true`, { signal });
      if ([404, 405, 501].includes(status)) {
        body.destroy();
        return { features: {}, own: undefined, slots: undefined };
      }
      const { data } = workerHealthSchema.safeParse(JSON.parse(await shortText(body)));
      return status === 200 ? factsIn(data) : undefined;
    } catch {
      return undefined;
    }
  }

  async function answered(worker: RemoteWorker, url: string): Promise<Answer> {
    const answer = { facts: await ask(worker, url), at: performance.now() };
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
    forget: ({ url }) => void known.delete(routeOf(url, '/health')),
  };
}

const factsIn = (health: WorkerHealth | undefined): WorkerFacts | undefined =>
  health && {
    features: health.capabilities.features,
    own: health.own_environment ?? undefined,
    slots: health.capabilities.features.cluster === true ? (health.max_concurrent ?? undefined) : undefined,
  };
