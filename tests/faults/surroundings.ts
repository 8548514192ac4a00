// What a service lives among, and what is dear to start: made once, when a round first needs it, and shared by all rounds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { arrowOf, startExecutor, type TestExecutor } from '../kit/executor.ts';
import { bucket, objectStores } from '../kit/objectStores.ts';
import { type PackageIndex, startPackageIndex } from '../kit/packageIndex.ts';
import { freePort } from '../kit/ports.ts';
import { type KillablePostgres, launchPostgres, postgresPrograms } from '../kit/postgres.ts';
import { killProcess, startRelayProgram } from '../kit/relay.ts';
import { newHome } from '../kit/server.ts';
import { createWarehouse, type Warehouse } from '../kit/warehouse.ts';
import { startWorker } from '../kit/worker.ts';

/** Something that runs beside the service, can be killed, and is started again by whoever watches over it. */
export interface Neighbour {
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface NeighbourStore extends Neighbour {
  readonly settings: Readonly<Record<string, string>>;
}

export interface NeighbourWorker {
  readonly relay: Neighbour;
  readonly worker: Neighbour;
  /** Where it is reached, behind the relay. */
  readonly address: string;
}

export interface Surroundings extends AsyncDisposable {
  /** Where environments of notebooks are made once for all rounds. */
  readonly environments: string;
  readonly warehouse: Warehouse;
  readonly executor: TestExecutor;
  readonly index: PackageIndex;
  postgres(): Promise<KillablePostgres>;
  objectStore(): Promise<NeighbourStore>;
  remote(): Promise<NeighbourWorker>;
}

export const tableRows = 20_000;
const table = `
rows = pa.table({"n": pa.array(range(${tableRows}), pa.int64()), "half": [n / 2 for n in range(${tableRows})]})
catalog.create_table("db.rows", rows.schema, properties={"write.parquet.row-group-limit": "1000"}).append(rows)
`;

/** What the index of packages has beside the usual one. */
export const packages = ['one', 'two', 'three'] as const;

/** What the executor gives for a number. */
export const builtOf = (number: number): Uint8Array => arrowOf([number, number + 1, number + 2]);

export async function openSurroundings(note: (text: string) => void): Promise<Surroundings> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-faults-'));
  const closing: (() => PromiseLike<unknown>)[] = [];
  const kept = <T>(make: () => Promise<T>): (() => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const warehouse = await createWarehouse(table);
  const executor = await startExecutor((order, response) => {
    const { number = 0 } = Object(JSON.parse(order.metadata)).transform?.params ?? {};
    setTimeout(() => response.writeHead(200).end(builtOf(Number(number))), Number(number) % 200);
  });
  const index = await startPackageIndex(Object.fromEntries(packages.map((name) => [name, { '1.0': [] }])));
  closing.push(
    () => index[Symbol.asyncDispose](),
    () => warehouse[Symbol.asyncDispose](),
    () => executor[Symbol.asyncDispose](),
  );
  return {
    environments: path.join(folder, 'environments'),
    warehouse,
    executor,
    index,
    postgres: kept(async () => {
      const programs = postgresPrograms();
      if (programs === undefined) throw new Error('PostgreSQL is not installed.');
      const postgres = await launchPostgres(programs);
      closing.push(() => postgres[Symbol.asyncDispose]());
      return postgres;
    }),
    objectStore: kept(() => openStore(note, closing)),
    remote: kept(() => openRemote(closing)),
    async [Symbol.asyncDispose]() {
      for (const close of closing.reverse()) await close();
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const forwarder = fileURLToPath(new URL('../fixtures/forwarder.ts', import.meta.url));

/** What it holds outlives its front: a store whose disks are whole. */
async function openStore(
  note: (text: string) => void,
  closing: (() => PromiseLike<unknown>)[],
): Promise<NeighbourStore> {
  const store = await objectStores.s3(note);
  const target = new URL(store.settings.SVC_S3_ENDPOINT_URL ?? '');
  const port = await freePort();
  let front: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const child = spawn(process.execPath, [forwarder, String(port), target.port], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    front = child;
  };
  const kill = async (): Promise<void> => {
    if (front) await killProcess(front);
  };
  await start();
  closing.push(() => store.stop(), kill);
  return {
    kill,
    start,
    settings: {
      ...store.settings,
      SVC_S3_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      SVC_ARTIFACT_BLOB_BACKEND: 's3',
      SVC_ARTIFACT_S3_BUCKET: bucket,
    },
  };
}

async function openRemote(closing: (() => PromiseLike<unknown>)[]): Promise<NeighbourWorker> {
  const port = await freePort();
  const home = newHome();
  const address = `http://127.0.0.1:${port}/w/lab`;
  const dial = () =>
    startWorker({ env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' }, args: ['--connect', address.replace('http', 'ws')] });
  let relay = await startRelayProgram(port, home);
  let worker = await dial();
  /** Resolves when the worker is reached through the relay. */
  const reached = async (): Promise<void> => {
    const answer = () => fetch(`${address}/health`).catch(() => undefined);
    while ((await answer())?.status !== 200) await pause(20);
  };
  await reached();
  closing.push(async () => {
    await killProcess(worker.process);
    await killProcess(relay);
    fs.rmSync(home, { recursive: true, force: true });
  });
  return {
    address,
    relay: {
      kill: () => killProcess(relay),
      async start() {
        relay = await startRelayProgram(port, home);
        await reached();
      },
    },
    worker: {
      kill: () => killProcess(worker.process),
      async start() {
        worker = await dial();
        await reached();
      },
    },
  };
}
