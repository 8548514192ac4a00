// kill -9 of a worker or of the server while a cell runs remotely and a build is made: nothing runs forever, nothing is ready
// without its bytes, no process and no folder stays.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { begunBuild, buildOnce, isOver } from './kit/builds.ts';
import { arrowOf, startExecutor } from './kit/executor.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { freePort } from './kit/ports.ts';
import { isSleeping } from './kit/processes.ts';
import { createRandom } from './kit/random.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';
import { health, startWorker, type TestWorker } from './kit/worker.ts';

const rounds = Number(process.env.SVC_TEST_CRASHES ?? 4);
const folders = path.join(os.tmpdir(), `svc-worker-${os.userInfo().uid}`);
const foldersOf = ({ process }: TestWorker): string[] =>
  readdirSync(folders).filter((name) => name.startsWith(`${process.pid}-`));

async function assertBytes(server: TestServer): Promise<void> {
  const listing = z.object({ artifacts: z.array(z.object({ artifact_id: z.string(), version: z.int() })) });
  const { artifacts } = await server.rest.read(listing, '/v1/artifacts?state=ready');
  for (const { artifact_id, version } of artifacts)
    assert.equal((await server.rest.get(`/v1/artifacts/${artifact_id}/v/${version}/data`)).status, 200);
}

describe('a worker or a server that is killed', () => {
  it('leaves no pulled cell running once another server has its place', async () => {
    const env = { SVC_PORT: String(await freePort()) };
    await using worker = await startWorker({ env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' } });
    await using first = await startServer({ env });
    const notebook = await createTestNotebook(first, 'Pulled');
    const config = { url: `${worker.address}/v1/execute`, transport: 'signed' };
    await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
    const cell = await notebook.add('# @worker far\nimport time\nprint("begun", flush=True)\ntime.sleep(600)');
    const begun = notebook.framesUntil(({ type }) => type === 'cell_console');
    notebook.run(cell).catch(() => {});
    await begun;
    await first.stop('SIGKILL');
    await using _second = await startServer({ home: first.home, env });
    await until(async () => (await health(worker)).active_executions === 0, 'the worker runs nothing');
    assert.deepEqual(foldersOf(worker), []);
  });

  it('leaves nothing that runs, and nothing half done', { timeout: 600_000 + rounds * 60_000 }, async (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    await using executor = await startExecutor((_order, response) => {
      setTimeout(() => response.writeHead(200).end(arrowOf([1])), random.below(800));
    });
    const registry = [{ ref: '*', executor_url: executor.url }];
    const env = { SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry }) };
    const home = newHome();
    let place: string;
    {
      await using server = await startServer({ home, env });
      place = (await createTestNotebook(server, 'Killed')).path;
    }
    for (let round = 0; round < rounds; round++) {
      const victim = random.pick(['worker', 'server']);
      const transport = random.pick(['direct', 'signed']);
      const after = random.below(1500);
      t.diagnostic(`round ${round}: the ${victim} after ${after} ms, ${transport}`);
      const marker = `7654.${random.seed}${round}`;
      const worker = await startWorker({ env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' } });
      let server = await startServer({ home, env });
      const notebook = await openTestNotebook(server, place);
      const config = { url: `${worker.address}/v1/execute`, transport };
      await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
      const cell = await notebook.add(`# @worker far
import subprocess, time
subprocess.Popen(["sleep", "${marker}"])
time.sleep(0.7)
r${round} = ${round}`);
      const running = notebook.run(cell).catch(() => undefined);
      const build = await begunBuild(server, 'slow@v1', { params: { round } });
      await pause(after);
      if (victim === 'worker') {
        worker.process.kill('SIGKILL');
        const ran = await running;
        assert.match(String(ran?.status), /^(ready|error)$/);
      } else {
        await server.stop('SIGKILL');
        await running;
        await until(async () => (await health(worker)).active_executions === 0, 'the worker runs nothing');
        server = await startServer({ home, env });
      }
      const again = await openTestNotebook(server, place);
      assert.ok((await again.state()).cells.every(({ status }) => status !== 'running'));
      const local = await again.add(`l${round} = 1 + 1\nl${round}`);
      assert.equal((await again.run(local)).display?.preview, 2);
      assert.equal((await buildOnce(server, build, isOver)).state, 'ready');
      await assertBytes(server);
      assert.equal(Object((await server.rest.get('/v1/artifacts/stats')).json).building_versions, 0);
      await until(() => !isSleeping(marker), 'the cell has ended');
      // What a killed worker left behind goes when the next one starts.
      const last = victim === 'worker' ? await startWorker() : worker;
      assert.deepEqual(foldersOf(worker), []);
      await last[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    }
  });
});
