// The R library of a notebook: set up, added to, brought back from a lock, shared; and what is said where R or renv is not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { environmentBody, environmentJob, rPackagesBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { machineCache } from './kit/packageIndex.ts';
import { hasR, installRenv } from './kit/renv.ts';
import { newHome, startServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';

const home = newHome();
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
const skip = hasR() ? false : 'R is not installed';

async function job(notebook: TestNotebook, body: object) {
  const finished = ({ type }: Frame): boolean => type === 'environment_job_finished';
  const told = notebook.framesUntil(finished);
  const answer = await notebook.request('POST', '/environment/jobs', body);
  assert.equal(answer.status, 202, answer.text);
  return environmentJob.parse((await told).find(finished)?.payload.environment_job);
}

const packagesOf = async (notebook: TestNotebook) =>
  rPackagesBody.parse((await notebook.request('GET', '/r-packages')).json);
const rOf = async (notebook: TestNotebook) =>
  environmentBody.parse((await notebook.request('GET', '/environment')).json).r_environment;

describe('R', () => {
  it('is told to be missing where it is, and Python works', async () => {
    // Everything of the machine's path but what has an Rscript.
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const PATH = folders.filter((folder) => !fs.existsSync(path.join(folder, 'Rscript'))).join(path.delimiter);
    await using server = await startServer({ env: { ...machineCache, PATH: PATH || '/nowhere' } });
    const notebook = await createTestNotebook(server, 'No R');
    for (const body of [{ action: 'r_init' }, { action: 'r_add', package: 'jsonlite' }]) {
      const answer = await notebook.request('POST', '/environment/jobs', body);
      assert.equal(answer.status, 400);
      assert.match(Object(answer.json).detail, /Rscript not found on PATH/);
    }
    assert.deepEqual(await packagesOf(notebook), { packages: [], packages_status: 'absent', packages_error: null });
    assert.equal((await rOf(notebook)).system_r_version, null);
    assert.equal((await notebook.run(await notebook.add('1'))).status, 'ready');
  });

  it('says how to get renv where that is missing', { skip }, async () => {
    await using server = await startServer({ env: { ...machineCache, R_LIBS: '', R_LIBS_USER: '/nowhere' } });
    const notebook = await createTestNotebook(server, 'No renv');
    const { status, error } = await job(notebook, { action: 'r_init' });
    assert.equal(status, 'failed');
    assert.match(error ?? '', /renv is not installed for R .*install\.packages\("renv"\)/s);
    const { sync_state, system_r_version } = await rOf(notebook);
    assert.equal(sync_state, 'failed');
    assert.match(system_r_version ?? '', /^\d+\.\d+\.\d+$/);
    assert.equal((await notebook.run(await notebook.add('1'))).status, 'ready');
  });

  it('has a library for each notebook, whose lock is part of what results depend on', { skip }, async () => {
    const R_LIBS = installRenv(fs.mkdtempSync(path.join(home, 'own-')));
    await using server = await startServer({ env: { ...machineCache, R_LIBS } });
    const notebook = await createTestNotebook(server, 'Library');
    const cell = await notebook.add('x = 1');
    await notebook.run(cell);
    const early = await notebook.request('POST', '/environment/jobs', { action: 'r_add', package: 'dplyr' });
    assert.equal(early.status, 400);
    assert.match(early.text, /r_init/);
    const begun = await job(notebook, { action: 'r_init' });
    assert.deepEqual([begun.status, begun.stale_cell_ids], ['completed', [cell]], begun.stderr);
    assert.deepEqual((await packagesOf(notebook)).packages, [
      { name: 'arrow', version: '1.0' },
      { name: 'jsonlite', version: '1.0' },
    ]);
    const added = await job(notebook, { action: 'r_add', package: 'dplyr' });
    assert.deepEqual([added.status, added.package, added.lockfile_changed], ['completed', 'dplyr', true]);
    assert.equal((await rOf(notebook)).sync_state, 'ok');
    const lock = fs.readFileSync(path.join(notebook.path, 'renv.lock'), 'utf8');
    const failed = await job(notebook, { action: 'r_add', package: 'nosuch' });
    assert.equal(failed.status, 'failed');
    assert.match(failed.error ?? '', /'nosuch' is not available/);
    assert.equal(fs.readFileSync(path.join(notebook.path, 'renv.lock'), 'utf8'), lock);
    for (const name of ['evil"); system("id', '--args', 'a b', '../x', 'x'])
      assert.equal(
        (await notebook.request('POST', '/environment/jobs', { action: 'r_add', package: name })).status,
        400,
      );
    // A lock without its library, as version control brings it.
    fs.rmSync(path.join(notebook.path, 'renv/library'), { recursive: true });
    assert.equal((await job(notebook, { action: 'r_init' })).status, 'completed');
    assert.deepEqual(
      (await packagesOf(notebook)).packages.map(({ name }) => name),
      ['arrow', 'dplyr', 'jsonlite'],
    );
  });

  it('shares libraries of the same lock', { skip }, async () => {
    const folder = fs.mkdtempSync(path.join(home, 'shared-'));
    const R_LIBS = installRenv(folder);
    const envs = path.join(folder, 'envs');
    const env = { ...machineCache, R_LIBS, SVC_NOTEBOOK_ENV_BACKEND: 'shared', SVC_NOTEBOOK_SHARED_ENV_DIR: envs };
    await using server = await startServer({ env });
    const [one, two] = [await createTestNotebook(server, 'One'), await createTestNotebook(server, 'Two')];
    const target = ({ path: place }: TestNotebook): string => fs.readlinkSync(path.join(place, 'renv/library'));
    for (const notebook of [one, two]) assert.equal((await job(notebook, { action: 'r_init' })).status, 'completed');
    assert.equal(target(one), target(two));
    assert.equal((await job(one, { action: 'r_add', package: 'dplyr' })).status, 'completed');
    assert.notEqual(target(one), target(two));
    const before = target(one);
    assert.equal((await job(one, { action: 'r_add', package: 'nosuch' })).status, 'failed');
    assert.equal(target(one), before);
    assert.equal((await packagesOf(two)).packages.length, 2);
  });
});
