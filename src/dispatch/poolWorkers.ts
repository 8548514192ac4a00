// The workers that the dispatcher has in the cluster, from the moment when they are asked for to their end.
import { randomBytes } from 'node:crypto';
import type { PlacedWorker } from './arrange.ts';
import { type Cell, shapeOf } from './cell.ts';
import type { JobReport, Resources } from './engine.ts';
import { batchOf } from './link.ts';
import type { BatchNote, Spool } from './spool.ts';

export interface PoolWorker {
  readonly name: string;
  readonly resources: Resources;
  readonly shape: string;
  /** When the engine took it, or when it was found again. */
  submittedAt: number | undefined;
  isConnected: boolean;
  /** It was connected once. */
  hasCome: boolean;
  isLeaving: boolean;
  runningSince: number | undefined;
  idleSince: number;
  environment: string | null;
  report: JobReport | undefined;
  cell: Cell | undefined;
  /** Ends what is done with its cell, with the reason. */
  lost: AbortController;
}

export interface PoolWorkers {
  readonly all: ReadonlyMap<string, PoolWorker>;
  /** Notes them before anybody is asked for them. */
  plan(resources: Resources, count: number): Promise<{ readonly batch: string; readonly workers: PoolWorker[] }>;
  remove(names: readonly string[]): Promise<void>;
  placed(now: number): PlacedWorker[];
}

export async function createPoolWorkers(spool: Spool): Promise<PoolWorkers> {
  const all = new Map<string, PoolWorker>();

  function add({ batch, count, resources }: BatchNote, submittedAt?: number): PoolWorker[] {
    const made = workersIn([{ batch, count }]).map((name) => newWorker(name, resources, submittedAt));
    for (const worker of made) all.set(worker.name, worker);
    return made;
  }

  // Which of a batch still live is the engine's to say.
  for (const note of await spool.batches()) add(note, performance.now());

  return {
    all,
    async plan(resources, count) {
      const batch = randomBytes(5).toString('hex');
      const note = { batch, count, resources };
      const workers = add(note);
      await spool.saveBatch(note);
      return { batch, workers };
    },
    async remove(names) {
      for (const name of names) all.delete(name);
      const left = new Set([...all.keys()].map(batchOf));
      for (const batch of new Set(names.map(batchOf))) if (!left.has(batch)) await spool.dropBatch(batch);
    },
    placed: (now) => [...all.values()].map((worker) => placedOf(worker, now)),
  };
}

/** The names of workers. */
export const workersIn = (batches: readonly Pick<BatchNote, 'batch' | 'count'>[]): string[] =>
  batches.flatMap(({ batch, count }) => Array.from({ length: count }, (_, index) => `${batch}-${index}`));

function newWorker(name: string, resources: Resources, submittedAt: number | undefined): PoolWorker {
  return {
    name,
    resources,
    shape: shapeOf(resources),
    submittedAt,
    isConnected: false,
    hasCome: false,
    isLeaving: false,
    runningSince: undefined,
    idleSince: 0,
    environment: null,
    report: undefined,
    cell: undefined,
    lost: new AbortController(),
  };
}

function placedOf(worker: PoolWorker, now: number): PlacedWorker {
  const { name, shape, environment, idleSince, resources, report, runningSince } = worker;
  const { seconds } = resources;
  const lived = (now - (runningSince ?? now)) / 1000;
  return {
    name,
    shape,
    environment,
    idleSince,
    report,
    seconds,
    secondsLeft: seconds === null ? null : seconds - lived,
    state: stateOf(worker),
  };
}

export function stateOf({ isLeaving, cell, isConnected }: PoolWorker): PlacedWorker['state'] {
  if (isLeaving) return 'leaving';
  if (cell) return 'busy';
  return isConnected ? 'idle' : 'starting';
}
