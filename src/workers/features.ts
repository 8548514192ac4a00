// What a worker can do, asked before a cell that needs it is sent. An answer is kept for a minute; only a literal `true` is
// one, and a worker that could not be asked is not taken for one that cannot.
import { shortText } from '../fetch/index.ts';
import { workerHealthSchema } from '../protocol/workers.ts';
import { createWorkerClient } from './client.ts';
import { type RemoteWorker, routeOf } from './spec.ts';

export type Feature = 'output_dirs' | 'folder_inputs' | 'locked_environments' | 'locked_r_environments';

export interface Features {
  /** Undefined when the worker could not be asked. */
  has(worker: RemoteWorker, feature: Feature): Promise<boolean | undefined>;
}

const keptMilliseconds = 60_000;
const askMilliseconds = 20_000;

export function createFeatures(): Features {
  const known = new Map<string, { readonly until: number; readonly features: Readonly<Record<string, unknown>> }>();

  async function ask(worker: RemoteWorker, url: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const signal = AbortSignal.timeout(askMilliseconds);
      const { status, body } = await createWorkerClient(worker).ask(url, { signal });
      if ([404, 405, 501].includes(status)) {
        body.destroy();
        return {};
      }
      const { data } = workerHealthSchema.safeParse(JSON.parse(await shortText(body)));
      return status === 200 ? data?.capabilities.features : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async has(worker, feature) {
      const url = routeOf(worker.url, '/health');
      const kept = known.get(url);
      if (kept && kept.until > performance.now()) return kept.features[feature] === true;
      const features = await ask(worker, url);
      if (!features) return undefined;
      known.set(url, { until: performance.now() + keptMilliseconds, features });
      return features[feature] === true;
    },
  };
}
