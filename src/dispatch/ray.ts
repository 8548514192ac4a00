// Ray by its Jobs API: every worker is a Ray job, whose submission id names it. No Ray is needed here.
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { openUrl } from '../fetch/index.ts';
import { type ClusterEngine, type ClusterNode, EngineFailure, type WorkerOrder } from './engine.ts';
import { isFull, jobsSchema, nodesSchema, type RayNode, rayNodes, rayReport } from './rayStates.ts';
import { quoted } from './slurm.ts';

export interface RayOptions {
  /** Names the jobs of this dispatcher among others. */
  readonly instance: string;
  /** Of the head's dashboard, like http://head:8265. */
  readonly address: string;
  /** Where the head wants one. */
  readonly token: string | null;
  /** As the shell of a node reads it. */
  readonly workerCommand: string;
  /** What workers are given beside what their nodes have. */
  readonly env: Readonly<Record<string, string>>;
  /** How long the head may take for an answer. */
  readonly askMilliseconds?: number;
}

const usualAskMilliseconds = 30_000;
const anywhere = { publicOnly: false, allowedHosts: [] };
const logsSchema = z.looseObject({ logs: z.string().catch('') });

export function createRay(options: RayOptions): ClusterEngine {
  const { instance, address, token, workerCommand, env, askMilliseconds = usualAskMilliseconds } = options;
  const prefix = `svc-${instance}-`;
  const idOf = (name: string): string => `${prefix}${name}`;

  async function ask(method: 'GET' | 'POST' | 'DELETE', route: string, body?: object): Promise<unknown> {
    const signal = AbortSignal.timeout(askMilliseconds);
    const noAnswer = (error: unknown): never => {
      const said = error instanceof Error ? error.message : String(error);
      const why = signal.aborted ? `nothing came, or not all of it, within ${askMilliseconds / 1000} s` : said;
      throw new EngineFailure(`Ray does not answer at ${address}: ${why}.`);
    };
    const answer = await openUrl(new URL(route, address).href, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      policy: anywhere,
      signal,
    }).catch(noAnswer);
    const said = await text(answer.body).catch(noAnswer);
    if (answer.status === 401 || answer.status === 403)
      throw new EngineFailure(`Ray at ${address} refuses the token (RAY_AUTH_TOKEN of svc dispatch).`);
    if (answer.status >= 300)
      throw new EngineFailure(`Ray at ${address} answered ${answer.status}: ${said.slice(0, 500)}`);
    try {
      return JSON.parse(said);
    } catch {
      throw new EngineFailure(`What answers at ${address} is no head of Ray: it speaks no JSON.`);
    }
  }

  async function nodesThere(): Promise<readonly RayNode[]> {
    const { success, data } = nodesSchema.safeParse(await ask('GET', '/api/v0/nodes?detail=1&limit=10000'));
    if (!success) throw new EngineFailure(`What answers at ${address} is no head of Ray.`);
    return data.data.result.result.filter(({ state }) => state === 'ALIVE');
  }

  function submission({ batch, resources, dial, env: own }: WorkerOrder, index: number): object {
    const { cpus, memoryBytes, gpus, seconds, custom } = resources;
    const name = `${batch}-${index}`;
    const limit = seconds === null ? '' : `timeout --kill-after=10 ${seconds} `;
    return {
      submission_id: idOf(name),
      entrypoint: `exec ${limit}${workerCommand} --connect ${quoted(`${dial}/w/${name}`)}`,
      entrypoint_num_cpus: cpus,
      ...(gpus === 0 ? {} : { entrypoint_num_gpus: gpus }),
      ...(memoryBytes === null ? {} : { entrypoint_memory: memoryBytes }),
      ...(Object.keys(custom).length === 0 ? {} : { entrypoint_resources: custom }),
      runtime_env: { env_vars: { ...env, ...own } },
    };
  }

  return {
    name: 'ray',
    nodes: async (): Promise<readonly ClusterNode[]> => rayNodes(await nodesThere()),
    async submit(order) {
      for (let index = 0; index < order.count; index += 1) await ask('POST', '/api/jobs/', submission(order, index));
    },
    async reports() {
      const jobs = jobsSchema.parse(await ask('GET', '/api/jobs/'));
      const ours = jobs.filter(({ submission_id }) => submission_id?.startsWith(prefix));
      const nodes = await nodesThere();
      const waits = ours.some(({ status }) => status === 'PENDING');
      const full = waits && isFull(await ask('GET', '/api/cluster_status'));
      return new Map(
        ours.map((job) => [job.submission_id?.slice(prefix.length) ?? '', rayReport(job, nodes, full)] as const),
      );
    },
    async stop(names) {
      for (const name of names) await ask('POST', `/api/jobs/${idOf(name)}/stop`);
    },
    async lastWords(name) {
      const { logs } = logsSchema.parse(await ask('GET', `/api/jobs/${idOf(name)}/logs`).catch(() => ({})));
      return logs.slice(-2000);
    },
    async forget(name) {
      await ask('DELETE', `/api/jobs/${idOf(name)}`).catch(() => {});
    },
  };
}
