// R cells on workers: what a worker says of R, and libraries that it restores from a lock of renv.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { renvLockKey } from '../src/environments/index.ts';
import { listening } from './kit/listening.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { hasR, renvEnvironment, withoutRenv } from './kit/renv.ts';
import { newHome, startServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';
import { bundleOf, failure, health, refusalOf, startWorker, type TestWorker } from './kit/worker.ts';

const home = newHome();
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
const timeout = 120_000;
const withoutR = hasR() ? false : 'R is not installed';
const noRenv = { R_LIBS: '', R_LIBS_USER: '/nowhere' };

const lockOf = (...packages: readonly string[]): string =>
  JSON.stringify({ R: {}, Packages: Object.fromEntries(packages.map((name) => [name, { Package: name }])) });
const blockOf = (lockfile: string) => ({ key: renvLockKey(Buffer.from(lockfile)), lockfile });
const runR = (worker: TestWorker, source: string, environment?: object) =>
  worker.execute(source, { params: { language: 'r', ...(environment === undefined ? {} : { environment }) } });

async function addR(notebook: TestNotebook, source: string): Promise<string> {
  const { id } = Object((await notebook.request('POST', '/cells', { language: 'r' })).json);
  await notebook.edit(String(id), source);
  return String(id);
}

/** Serves one prebuilt library, at the address of its lock and of this R. */
async function libraryRegistry(context: TestContext, key: string): Promise<{ address: string; asked: string[] }> {
  const folder = fs.mkdtempSync(path.join(home, 'prebuilt-'));
  fs.mkdirSync(path.join(folder, 'small'));
  fs.writeFileSync(path.join(folder, 'small/DESCRIPTION'), 'Package: small\nVersion: 1.0\n');
  const archive = execFileSync('tar', ['-cz', '-C', folder, 'small']);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith(`/r/${key}/`)) response.end(archive);
    else response.writeHead(request.url?.includes('bad') ? 500 : 404).end();
  });
  const at = await listening(context, server);
  return { address: at, asked };
}

describe('R on a worker', () => {
  it('is said to be missing where it is', async () => {
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const PATH = folders.filter((folder) => !fs.existsSync(path.join(folder, 'Rscript'))).join(path.delimiter);
    await using worker = await startWorker({ env: { PATH: PATH || '/nowhere' } });
    const { languages, locked_r_environments } = (await health(worker)).capabilities.features;
    assert.deepEqual([languages, locked_r_environments], [['python'], false]);
    assert.deepEqual(await refusalOf(await runR(worker, '1')), failure(500));
  });

  it('restores nothing without renv, and says so', { skip: withoutR, timeout }, async () => {
    await using worker = await startWorker({ env: noRenv });
    const { languages, locked_r_environments } = (await health(worker)).capabilities.features;
    assert.deepEqual([languages, locked_r_environments], [['python', 'r'], false]);
    const answer = await runR(worker, '1', blockOf(lockOf('small')));
    const said = await answer.text();
    assert.equal(answer.status, 500);
    assert.match(said, /locked environment: .*renv is not installed for R/);
  });

  it('takes a prebuilt library from the registry, when it is whole', { skip: withoutR, timeout }, async (context) => {
    const lock = lockOf('small', 'renv');
    const { address, asked } = await libraryRegistry(context, blockOf(lock).key);
    await using worker = await startWorker({ env: { ...noRenv, SVC_WORKER_ENV_REGISTRY_URL: `${address}/` } });
    const source = 'found <- file.exists(file.path(.libPaths()[1], "small", "DESCRIPTION"))';
    for (const _ of [1, 2]) {
      const { members } = await bundleOf(await runR(worker, source, blockOf(lock)));
      assert.equal(members['files/found.json']?.trim(), 'true');
    }
    assert.match(asked.join(), /^\/r\/[0-9a-f]{64}\/R-\d+\.\d+\.\d+\/[\w.-]+$/);
    for (const [what, block, reason] of [
      ['no lock', { key: 'a'.repeat(64) }, /not as the protocol says/],
      ['no JSON', blockOf('{'), /not one of renv/],
      ['no packages', blockOf('{}'), /not one of renv/],
      ['another key', { ...blockOf(lock), key: 'b'.repeat(64) }, /was announced by/],
      ['not there', blockOf(lockOf('other')), /renv is not installed/],
    ] as const) {
      const answer = await runR(worker, '1', block);
      assert.equal(answer.status, 500, what);
      assert.match(await answer.text(), reason, what);
    }
  });

  it('restores the library of a notebook, and keeps it', { skip: withoutRenv, timeout }, async () => {
    const env = renvEnvironment(fs.mkdtempSync(path.join(home, 'repository-')));
    await using worker = await startWorker({ env });
    assert.equal((await health(worker)).capabilities.features.locked_r_environments, true);
    await using server = await startServer({ env });
    const notebook = await createTestNotebook(server, 'R elsewhere');
    for (const body of [{ action: 'r_init' }, { action: 'r_add', package: 'tinyr' }]) {
      const finished = notebook.framesUntil(({ type }: Frame) => type === 'environment_job_finished');
      assert.equal((await notebook.request('POST', '/environment/jobs', body)).status, 202);
      await finished;
    }
    const config = { url: `${worker.address}/v1/execute` };
    await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
    const ran = await notebook.run(await addR(notebook, '# @worker far\nx <- tinyr::answer()\ncat(x)'));
    assert.deepEqual([ran.error, ran.stdout, ran.remote_worker], [null, '42', 'far']);
    const other = await notebook.run(await addR(notebook, '# @worker far\ncat(tinyr::answer() + 1)'));
    assert.deepEqual([other.error, other.stdout], [null, '43']);
    const absent = await runR(worker, '1', blockOf(lockOf('nosuch')));
    assert.deepEqual(await refusalOf(absent), failure(500));
  });
});
