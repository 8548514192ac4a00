// Whether a cell on a worker runs in the notebook's locked environment or in the worker's own, and that no result of one is
// taken for a result of the other.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { bareInterpreter } from './kit/pythonEnvironment.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { startWorker, type TestWorker } from './kit/worker.ts';

const source = '# @worker far\nimport sys\nsys.prefix';

async function bareEnvironment(): Promise<string> {
  const folder = path.join(newHome(), 'bare');
  execFileSync(await bareInterpreter(), ['-m', 'venv', '--without-pip', folder]);
  return folder;
}

describe('cells on a worker', () => {
  let server: TestServer;
  let one = '';
  let other = '';
  before(async () => {
    server = await startServer({ env: { SVC_WORKER_PROVISIONING_TIMEOUT_SECONDS: '60' } });
    [one, other] = await Promise.all([bareEnvironment(), bareEnvironment()]);
    const [packages = ''] = await Array.fromAsync(fs.glob(`${other}/lib/python3*/site-packages`));
    await fs.mkdir(path.join(packages, 'tuned-1.0.dist-info'));
  });
  after(() => server[Symbol.asyncDispose]());

  const define = async (notebook: TestNotebook, { address }: TestWorker, config: object = {}): Promise<void> => {
    const far = { name: 'far', backend: 'executor', runtime_id: 'lab', config: { url: address, ...config } };
    const answer = await notebook.request('PUT', '/workers', { workers: [far] });
    assert.equal(answer.status, 200, answer.text);
  };

  it('run where their worker is configured to, and are kept apart', async () => {
    await using worker = await startWorker({ args: ['--python', `${one}/bin/python`] });
    const notebook = await createTestNotebook(server, 'Apart');
    const cell = await notebook.add(source);
    await define(notebook, worker);
    const locked = await notebook.run(cell);
    assert.match(String(locked.display?.preview), /worker-envs/, String(locked.error));
    await define(notebook, worker, { environment: 'own' });
    const own = await notebook.run(cell);
    assert.deepEqual([own.cache_hit, own.display?.preview, own.error], [false, one, null]);
    await define(notebook, worker, { environment: 'locked' });
    assert.deepEqual((await notebook.run(cell)).display?.preview, locked.display?.preview);
    await define(notebook, worker, { environment: 'own' });
    assert.deepEqual([(await notebook.run(cell)).cache_hit, (await notebook.cell(cell)).status], [true, 'ready']);
  });

  it('run anew once other packages are installed on the worker, and not because it is away', async () => {
    const notebook = await createTestNotebook(server, 'Anew');
    const [cell, next] = [await notebook.add(source), await notebook.add('# @worker far\nx = 1')];
    const first = await startWorker({ args: ['--environment', 'own', '--python', `${one}/bin/python`] });
    await define(notebook, first);
    assert.equal((await notebook.run(cell)).display?.preview, one);
    await first[Symbol.asyncDispose]();
    assert.equal((await notebook.run(next)).remote_error_code, 'REQUEST_FAILED');
    assert.equal((await notebook.run(cell)).cache_hit, true);
    assert.equal((await notebook.run(next)).remote_error_code, 'REQUEST_FAILED');
    const port = new URL(first.address).port;
    await using second = await startWorker({
      args: ['--port', port, '--environment', 'own', '--python', `${other}/bin/python`],
    });
    assert.equal(second.address, first.address);
    const ran = await notebook.run(cell);
    assert.deepEqual([ran.cache_hit, ran.display?.preview], [false, other]);
  });

  it('are refused where the worker may not, or cannot, do as it is configured', async () => {
    await using worker = await startWorker({ args: ['--environment', 'own'] });
    const notebook = await createTestNotebook(server, 'Refused');
    const cell = await notebook.add(source);
    await define(notebook, worker, { environment: 'locked' });
    const ran = await notebook.run(cell);
    assert.deepEqual([ran.status, ran.remote_error_code], ['error', 'SETUP_FAILED']);
    assert.match(
      String(ran.error),
      /installs no locked environments: it lacks uv, or was started with --environment own/,
    );
    await fs.rm(path.join(notebook.path, 'uv.lock'));
    assert.match(
      String((await notebook.run(cell)).error),
      /the notebook has no uv\.lock\. Make one by adding a package/,
    );
    const far = { name: 'far', backend: 'executor', config: { url: worker.address, environment: 'shared' } };
    const answer = await notebook.request('PUT', '/workers', { workers: [far] });
    assert.deepEqual(
      [answer.status, answer.text.includes("unknown worker environment 'shared'; expected one of: auto, locked, own")],
      [400, true],
    );
  });
});
