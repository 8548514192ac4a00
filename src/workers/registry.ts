// The server's own workers, kept in the metadata store so that every server of a deployment sees the same. Until it is first
// written, what the settings list applies.
import { z } from 'zod';
import { type Database, text } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import { serverWorkerSpec } from '../protocol/index.ts';
import type { ServerWorker } from './catalog.ts';

export interface WorkerRegistry {
  /** As it was last read. */
  current(): readonly ServerWorker[];
  /** Reads it again: another server may have written it. */
  refresh(): Promise<readonly ServerWorker[]>;
  /** All changes go through here, one after the other; what throws changes nothing. */
  change(edit: (workers: readonly ServerWorker[]) => readonly ServerWorker[]): Promise<readonly ServerWorker[]>;
}

const stored = z.array(serverWorkerSpec);

export function createWorkerRegistry(database: Database | undefined, seed: readonly ServerWorker[]): WorkerRegistry {
  let known = unique(seed);

  async function refresh(): Promise<readonly ServerWorker[]> {
    const row = await database?.get('SELECT workers FROM notebook_workers WHERE id = 1', [], (found) =>
      text(found, 'workers'),
    );
    if (row !== undefined) known = stored.parse(JSON.parse(row));
    return known;
  }

  return {
    current: () => known,
    refresh,
    async change(edit) {
      if (!database) {
        known = checked(edit(known));
        return known;
      }
      known = await database.transaction(async (queries) => {
        const row = await queries.get('SELECT workers FROM notebook_workers WHERE id = 1', [], (found) =>
          text(found, 'workers'),
        );
        const next = checked(edit(row === undefined ? unique(seed) : stored.parse(JSON.parse(row))));
        const body = JSON.stringify(next);
        const sql =
          'INSERT INTO notebook_workers (id, workers) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET workers = excluded.workers';
        await queries.run(sql, [body]);
        return next;
      });
      return known;
    },
  };
}

const transports: ReadonlySet<unknown> = new Set([undefined, null, 'build', 'direct', 'manifest', 'signed']);
const environments: ReadonlySet<unknown> = new Set([undefined, null, 'auto', 'locked', 'own']);

function checked(workers: readonly ServerWorker[]): readonly ServerWorker[] {
  const names = new Set<string>();
  for (const { name, config } of workers) {
    if (name === 'local') throw refusals.workerReserved();
    if (names.has(name)) throw refusals.workerTwice(name);
    if (!transports.has(config.transport)) throw refusals.workerTransportUnknown(String(config.transport));
    if (!environments.has(config.environment)) throw refusals.workerEnvironmentUnknown(String(config.environment));
    names.add(name);
  }
  return workers;
}

/** Of a name that is listed twice the last counts. */
const unique = (workers: readonly ServerWorker[]): readonly ServerWorker[] => [
  ...new Map(workers.map((worker) => [worker.name, worker])).values(),
];
