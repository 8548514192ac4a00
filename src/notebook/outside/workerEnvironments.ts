// The environments of workers as something that cells depend on from outside their notebook: a worker may run a cell in the
// notebook's locked environment or in its own, and its own may change at any time. What was last found is remembered, so
// that results stay good while a worker is away.
import path from 'node:path';
import { z } from 'zod';
import { openSavedMap } from '../document/index.ts';
import type { CellWork } from '../languages/index.ts';
import type { OutsideReader } from './outside.ts';

/** The worker of one cell. */
export interface FarEnvironment {
  /** Another text where its definition is another. */
  readonly worker: string;
  /** In what the cell would run there now; undefined when the worker could not be asked. */
  ask(): Promise<string | undefined>;
}

export interface WorkerEnvironmentParts {
  readonly directory: string;
  /** Undefined for a cell that runs here, or in an environment that its key holds already. */
  readonly environmentOf: (work: Pick<CellWork, 'notebook' | 'cell' | 'annotations'>) => FarEnvironment | undefined;
}

export async function openWorkerEnvironments({
  directory,
  environmentOf,
}: WorkerEnvironmentParts): Promise<OutsideReader> {
  const found = await openSavedMap<string>(path.join(directory, '.svc/workerEnvironments.json'), {
    parse: (content) => z.record(z.string(), z.string()).parse(content),
    print: (entries) => entries,
  });
  const told = (fingerprint: string) => [{ name: 'worker', fingerprint: `worker environment:${fingerprint}` }];

  return {
    asks: (work) => {
      const far = environmentOf(work);
      return far ? `${work.cell.language} on ${far.worker}` : null;
    },
    async look(work, { mayAsk }) {
      const far = environmentOf(work);
      if (!far) return [];
      const key = `${work.cell.language} on ${far.worker}`;
      const before = found.get(key);
      const now = mayAsk ? await far.ask() : undefined;
      if (now !== undefined && now !== before) await found.set(key, now);
      // A worker that cannot be asked will not run the cell either: what is kept may still be served.
      const known = now ?? before;
      return known === undefined && !mayAsk ? undefined : told(known ?? 'unknown');
    },
  };
}
