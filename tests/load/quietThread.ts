// The quiet tenant in a thread of its own: what it waits is not what the clients of the load make each other wait.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { createRest } from '../kit/rest.ts';
import { createClient } from './client.ts';
import { type Documented, readDocumented } from './documented.ts';
import { type Fairness, type Quiet, workQuietly } from './fairness.ts';
import { createLedger, type Ledger } from './ledger.ts';
import type { LoadedNotebook } from './people/notebooks.ts';

interface QuietWork {
  readonly address: string;
  readonly tenant: string;
  readonly principal: string;
  readonly notebook: Omit<LoadedNotebook, 'client'>;
  readonly uri: string;
  /** One number: whether the flood is on. */
  readonly flooded: SharedArrayBuffer;
}

interface QuietTold {
  readonly fairness: Fairness;
  readonly ledger: Ledger;
}

export interface QuietOptions extends Pick<QuietWork, 'address' | 'tenant' | 'principal' | 'uri'> {
  readonly notebook: LoadedNotebook;
}

export interface QuietThread extends Quiet {
  flooded(isFlooded: boolean): void;
}

/** What it was answered goes to the ledger at the end. */
export async function startQuiet({ notebook, ...work }: QuietOptions, ledger: Ledger): Promise<QuietThread> {
  const flooded = new SharedArrayBuffer(4);
  const { client: _client, ...facts } = notebook;
  const data: QuietWork = { ...work, notebook: facts, flooded };
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  await once(worker, 'message');
  return {
    flooded: (isFlooded) => {
      Atomics.store(new Int32Array(flooded), 0, Number(isFlooded));
    },
    async end() {
      worker.postMessage('end');
      const [told]: [QuietTold] = Object(await once(worker, 'message'));
      for (const list of ['counts', 'wrong'] as const)
        for (const [what, times] of told.ledger[list]) ledger[list].set(what, (ledger[list].get(what) ?? 0) + times);
      return told.fairness;
    },
  };
}

async function work({ address, tenant, principal, notebook, uri, flooded }: QuietWork): Promise<void> {
  const ledger = createLedger();
  let documented: Documented | undefined;
  const client = createClient({
    address,
    tenant,
    principal,
    ledger,
    documented: () => documented,
    isOver: () => false,
  });
  documented = await readDocumented(createRest(address), client.headers, address);
  const isFlooded = (): boolean => Atomics.load(new Int32Array(flooded), 0) === 1;
  const quiet = workQuietly({ ...notebook, client }, uri, isFlooded, ledger);
  parentPort?.once('message', async () => {
    const told: QuietTold = { fairness: await quiet.end(), ledger };
    client.close();
    parentPort?.postMessage(told);
  });
  parentPort?.postMessage('begun');
}

if (!isMainThread) await work(workerData);
