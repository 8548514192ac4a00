// What the dispatcher says of itself: what its workers can do, as the last of them said it, with the cluster's capacity and
// hardware in place of theirs.
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../observability/index.ts';
import { type WorkerHealth, workerHealthSchema } from '../protocol/workers.ts';
import { version } from '../version.ts';
import { cellProtocol, cellTransform, executorProtocol } from '../worker/protocolNames.ts';
import type { ClusterNode } from './engine.ts';
import type { Link } from './link.ts';
import type { Pool } from './pool.ts';
import type { Spool } from './spool.ts';

export interface WorkerFacts {
  /** Asks a worker that has come, at most once a minute. */
  learn(name: string): void;
  /** What a worker said last; waits for a first one for a while where `complete` is wanted. */
  facts(complete: boolean): Promise<Facts>;
}

type Facts = Pick<WorkerHealth, 'capabilities' | 'own_environment'>;

const askMilliseconds = 30_000;
const keptMilliseconds = 60_000;
/** Servers wait a little longer than this for a whole answer. */
const firstMilliseconds = 15_000;
const nodesMilliseconds = 5000;

export async function createWorkerFacts(link: Link, spool: Spool, log: Log): Promise<WorkerFacts> {
  let known = (await spool.kept('workerFacts')) as Facts | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  const first = Promise.withResolvers<void>();

  async function ask(name: string): Promise<void> {
    const signal = AbortSignal.timeout(askMilliseconds);
    const answer = await link.ask(name, { method: 'GET', path: '/health?complete=true', signal });
    const { capabilities, own_environment } = workerHealthSchema.parse(JSON.parse(await text(answer)));
    known = { capabilities, own_environment };
    first.resolve();
    await spool.keep('workerFacts', known);
  }

  return {
    learn(name) {
      if (known && performance.now() - askedAt < keptMilliseconds) return;
      askedAt = performance.now();
      ask(name).catch((error: unknown) => {
        askedAt = Number.NEGATIVE_INFINITY;
        log.warning('A worker did not say what it can do', { worker: name, error });
      });
    },
    async facts(complete) {
      if (!known && complete) {
        const late = new AbortController();
        const waited = pause(firstMilliseconds, undefined, { signal: late.signal }).catch(() => {});
        await Promise.race([first.promise, waited]).finally(() => late.abort());
      }
      return known ?? { capabilities: bareCapabilities, own_environment: null };
    },
  };
}

/** Until a worker has said more. */
const bareCapabilities = {
  protocol_versions: [executorProtocol],
  transform_refs: [cellTransform],
  features: { notebook_protocol_version: cellProtocol, cancel: true },
};

export async function dispatchHealth(pool: Pool, workers: WorkerFacts, complete: boolean): Promise<object> {
  if (complete) pool.hint();
  const nodes = await nodesSoon(pool);
  const { running, waiting, workers: live } = pool.counts();
  const trouble = typeof nodes === 'string' ? nodes : pool.trouble;
  return {
    status: trouble === null ? 'healthy' : 'unavailable',
    ...(trouble === null ? {} : { detail: trouble }),
    version,
    uptime_seconds: process.uptime(),
    launch_id: null,
    ...asCluster(await workers.facts(complete && trouble === null)),
    active_executions: running,
    max_concurrent: pool.cluster.known === undefined ? null : pool.cluster.most(),
    gpu_slots: null,
    free_gpu_slots: null,
    queued_executions: waiting,
    warm_workers: live,
    hardware: hardwareOf(pool.cluster.known ?? []),
  };
}

/** Servers hand a cluster as many cells as it has room for. */
const asCluster = ({ capabilities, own_environment }: Facts): object => ({
  capabilities: { ...capabilities, features: { ...capabilities.features, cluster: true } },
  own_environment,
});

/** What is wrong, in words, where the engine does not say what it has. */
async function nodesSoon({ cluster }: Pool): Promise<readonly ClusterNode[] | string> {
  const late = new AbortController();
  try {
    return await Promise.race([
      cluster.nodes(),
      pause(nodesMilliseconds, `The cluster has not answered for ${nodesMilliseconds / 1000} s.`, {
        signal: late.signal,
      }),
    ]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    late.abort();
  }
}

function hardwareOf(nodes: readonly ClusterNode[]): object {
  const sum = (of: (node: ClusterNode) => number): number => nodes.reduce((total, node) => total + of(node), 0);
  const accelerators = nodes.flatMap(({ gpus, gpuName }) =>
    Array.from({ length: gpus }, () => ({ name: gpuName ?? 'GPU' })),
  );
  return {
    nodes: nodes.length,
    cpus: sum(({ cpus }) => cpus),
    memory_mb: Math.floor(sum(({ memoryBytes }) => memoryBytes) / 2 ** 20),
    accelerators,
  };
}
