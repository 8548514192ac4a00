// A real Ray of one node on ports of its own, thrown away afterwards. The node claims more CPUs than this machine has.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { pythonEnvironment } from './pythonEnvironment.ts';
import { until } from './until.ts';

export interface TestRay extends AsyncDisposable {
  readonly address: string;
  readonly node: string;
  /** Those that wait or run. */
  jobs(): Promise<string[]>;
  stop(job: string): Promise<void>;
}

const requirements = fileURLToPath(new URL('ray-requirements.txt', import.meta.url));
const jobsShape = z.array(z.looseObject({ submission_id: z.string().nullish(), status: z.string() }));
const nodesShape = z.looseObject({
  data: z.looseObject({ result: z.looseObject({ result: z.array(z.looseObject({ node_ip: z.string() })) }) }),
});

/**
 * A free port below those that the system hands out by itself: Ray takes its ports half a minute after it was told them, and
 * makes hundreds of connections before.
 */
async function quietPort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const probe = net.createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '0.0.0.0', () => probe.close(() => resolve(true)));
  });
  return isFree ? port : quietPort();
}

export async function startRay(
  t: Pick<TestContext, 'diagnostic'>,
  { cpus, memoryBytes }: { readonly cpus: number; readonly memoryBytes: number },
): Promise<TestRay> {
  const bin = await pythonEnvironment('test-ray', requirements, (text) => t.diagnostic(text));
  // Its sockets lie below, and their names must be short.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ray'));
  const address = `http://127.0.0.1:${await quietPort()}`;
  const args = [
    'start',
    '--head',
    '--block',
    '--disable-usage-stats',
    `--port=${await quietPort()}`,
    '--dashboard-host=127.0.0.1',
    `--dashboard-port=${new URL(address).port}`,
    `--dashboard-agent-listen-port=${await quietPort()}`,
    `--ray-client-server-port=${await quietPort()}`,
    '--min-worker-port=0',
    '--max-worker-port=0',
    `--num-cpus=${cpus}`,
    `--memory=${memoryBytes}`,
    '--object-store-memory=100000000',
    `--temp-dir=${folder}`,
  ];
  const head = spawn(path.join(bin, 'ray'), args, { stdio: 'ignore', detached: true });
  /** It leads a group of its own. */
  const end = (): boolean => process.kill(-(head.pid ?? process.pid), 'SIGKILL');
  const exited = new Promise<void>((resolve) => head.on('exit', () => resolve()));
  /** Ray refuses what looks like a browser, and `fetch` does. */
  const ask = (route: string, method = 'GET'): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = http.request(`${address}${route}`, { method }, (answer) => json(answer).then(resolve, reject));
      request.on('error', reject).end();
    });
  const nodes = (): Promise<string[]> =>
    ask('/api/v0/nodes?detail=1').then(
      (said) => nodesShape.parse(said).data.result.result.map(({ node_ip }) => node_ip),
      () => [],
    );
  let [node] = await nodes();
  for (; node === undefined; [node] = await nodes())
    if (head.exitCode !== null) throw new Error(`Ray ended with ${head.exitCode} before it served.`);
  const running = async (): Promise<string[]> =>
    jobsShape
      .parse(await ask('/api/jobs/'))
      .filter(({ status }) => status === 'PENDING' || status === 'RUNNING')
      .map(({ submission_id }) => submission_id ?? '');
  const stop = async (job: string): Promise<void> => void (await ask(`/api/jobs/${job}/stop`, 'POST'));
  return {
    address,
    node,
    jobs: running,
    stop,
    async [Symbol.asyncDispose]() {
      for (const job of await running()) await stop(job);
      await until(async () => (await running()).length === 0, 'no job of Ray runs');
      // Told to end, it would wait for half a minute.
      end();
      await exited;
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
