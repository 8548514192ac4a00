// Puts the dispatcher together: what an earlier one left is found again before anything is served.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { NetworkPolicy } from '../fetch/index.ts';
import type { Log } from '../observability/index.ts';
import { createFront } from '../worker/front.ts';
import { takesOutward } from '../worker/outward.ts';
import { createDispatchApp } from './app.ts';
import { openCells } from './cells.ts';
import type { ClusterEngine } from './engine.ts';
import { createWorkerFacts, dispatchHealth } from './health.ts';
import { createLink } from './link.ts';
import { Pool } from './pool.ts';
import type { PoolOptions } from './poolParts.ts';
import { workersIn } from './poolWorkers.ts';
import { reachByFiles, reachByTcp } from './reach.ts';
import { openSpool, type Spool } from './spool.ts';
import { lockState } from './stateLock.ts';

export interface DispatchOptions extends PoolOptions {
  readonly state: string;
  readonly host: string;
  readonly port: number;
  /** An address for workers to dial; null: the one that it listens on; `files`: through the folder of its state. */
  readonly workersReach: string | null;
  readonly token: string | null;
  /** What workers behind files may reach by this machine. */
  readonly outward: NetworkPolicy;
  readonly engine: (parts: { readonly spool: Spool; readonly instance: string }) => ClusterEngine;
  readonly log: Log;
}

export interface RunningDispatch {
  readonly address: string;
  stop(): Promise<void>;
}

/** Servers ask all the time; whoever has not for so long is gone. */
const abandonedMilliseconds = 180_000;
const sweepMilliseconds = 15_000;

export async function startDispatch(options: DispatchOptions): Promise<RunningDispatch> {
  const { state, host, port, workersReach, token, log, resources } = options;
  const unlock = await lockState(state);
  const spool = await openSpool(state);
  const secret = await spool.secret();
  const engine = options.engine({ spool, instance: secret.slice(0, 8) });
  let pool: Pool | undefined;
  const link = await createLink({
    secret,
    onConnected: (name) => pool?.connected(name),
    onGone: (name) => pool?.gone(name),
  });
  const facts = await createWorkerFacts(link, spool, log);
  const cells = await openCells(spool, log);
  const { promise: served, resolve: serve } = Promise.withResolvers<ReturnType<typeof createDispatchApp>>();
  const front = createFront({
    health: async ({ complete }) => dispatchHealth(await opened, facts, complete),
    load: async () => {
      const app = await served;
      return (request, response) => app.routing(request, response);
    },
    log,
  });
  const { promise: opened, resolve: onOpened } = Promise.withResolvers<Pool>();
  front.on('upgrade', (request, socket, head) => void opened.then(() => link.upgrade(request, socket, head)));
  const ofWorkers = new WeakSet<Duplex>();
  const takeOutward = takesOutward(options.outward);
  front.on('connect', (request, line, head) =>
    ofWorkers.has(line) ? takeOutward(request, line, head) : line.destroy(),
  );
  front.listen({ host, port });
  await once(front, 'listening');
  const address = addressOf(front.address(), host);
  const reach =
    workersReach === 'files'
      ? await reachByFiles(path.join(state, 'exchange'), workersIn(await spool.batches()), (line) => {
          ofWorkers.add(line);
          front.emit('connection', line);
        })
      : reachByTcp(workersReach ?? dialOf(address));
  pool = await Pool.open(
    {
      engine,
      link,
      reach,
      spool,
      options,
      log,
      onEnded: cells.end,
      onWorker: (name) => facts.learn(name),
    },
    cells.all().filter(({ job }) => !job.ending),
  );
  onOpened(pool);
  const app = createDispatchApp({ cells, pool, spool, resources, token, log });
  await app.ready();
  serve(app);
  const open = pool;
  const sweep = setInterval(() => {
    for (const cell of cells.abandoned(abandonedMilliseconds))
      void (cell.note.ending ? Promise.resolve() : open.cancel(cell)).then(() => cells.forget(cell));
  }, sweepMilliseconds).unref();
  return {
    address,
    /** Workers and what they run go on: the next dispatcher finds them. */
    async stop() {
      clearInterval(sweep);
      open.close();
      reach.close();
      front.closeAllConnections();
      front.close();
      await link.close();
      await app.close();
      unlock();
    },
  };
}

/** As other machines know this one. */
const dialOf = (address: string): string =>
  address.replace(/^http/, 'ws').replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, `//${os.hostname()}`);

function addressOf(bound: AddressInfo | string | null, host: string): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
