// The R library of a notebook: set up, added to, brought back from a lock, shared; and what is said where R or renv is not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { cellRecord, environmentBody, environmentJob, rPackagesBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { hasR, renvEnvironment, withoutRenv } from './kit/renv.ts';
import { newHome, startServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import type { Frame } from './kit/socket.ts';

const home = newHome();
after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
const skip = withoutRenv;
/** Packages of R are built from source. */
const timeout = 120_000;

async function job(notebook: TestNotebook, body: object) {
  const finished = ({ type }: Frame): boolean => type === 'environment_job_finished';
  const told = notebook.framesUntil(finished);
  const answer = await notebook.request('POST', '/environment/jobs', body);
  assert.equal(answer.status, 202, answer.text);
  return environmentJob.parse((await told).find(finished)?.payload.environment_job);
}

const packagesOf = async (notebook: TestNotebook) =>
  rPackagesBody.parse((await notebook.request('GET', '/r-packages')).json);
const namesOf = async (notebook: TestNotebook) => (await packagesOf(notebook)).packages.map(({ name }) => name);
const rOf = async (notebook: TestNotebook) =>
  environmentBody.parse((await notebook.request('GET', '/environment')).json).r_environment;

describe('R', () => {
  it('installs nothing for notebooks of a shared server, whose code would run as the server', async () => {
    await using server = await startProxied();
    const headers = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write notebook:execute' });
    const made = { headers, json: { parent_path: '.', name: 'Shared' } };
    const { session_id, path: folder } = Object((await server.rest.post('/v1/notebooks/create', made)).json);
    const before = fs.readdirSync(folder).sort();
    for (const json of [{ action: 'r_init' }, { action: 'r_add', package: 'jsonlite' }]) {
      const answer = await server.rest.post(`/v1/notebooks/${session_id}/environment/jobs`, { headers, json });
      assert.deepEqual(
        [answer.status, answer.json],
        [
          400,
          {
            detail:
              'Packages of R are installed by running their code, which this server does not do for a notebook: it is shared by many (SVC_DEPLOYMENT_MODE is service). Ask its operator to install them in the library of R on this machine, or give the cell a worker.',
          },
        ],
      );
    }
    assert.deepEqual(fs.readdirSync(folder).sort(), before);
  });

  it('is told to be missing where it is, and Python works', async () => {
    // Everything of the machine's path but what has an Rscript.
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const PATH = folders.filter((folder) => !fs.existsSync(path.join(folder, 'Rscript'))).join(path.delimiter);
    await using server = await startServer({ env: { PATH: PATH || '/nowhere' } });
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

  it('says how to get renv where that is missing', { skip: hasR() ? false : 'R is not installed' }, async () => {
    await using server = await startServer({ env: { R_LIBS: '', R_LIBS_USER: '/nowhere' } });
    const notebook = await createTestNotebook(server, 'No renv');
    const { status, error } = await job(notebook, { action: 'r_init' });
    assert.equal(status, 'failed');
    assert.match(error ?? '', /renv is not installed for R .*install\.packages\("renv"\)/s);
    const { sync_state, system_r_version } = await rOf(notebook);
    assert.equal(sync_state, 'failed');
    assert.match(system_r_version ?? '', /^\d+\.\d+\.\d+$/);
    assert.equal((await notebook.run(await notebook.add('1'))).status, 'ready');
  });

  it('has a library for each notebook, whose lock is part of what results depend on', { skip, timeout }, async () => {
    const env = renvEnvironment(fs.mkdtempSync(path.join(home, 'own-')));
    await using server = await startServer({ env });
    const notebook = await createTestNotebook(server, 'Library');
    const cell = await notebook.add('x = 1');
    await notebook.run(cell);
    const early = await notebook.request('POST', '/environment/jobs', { action: 'r_add', package: 'tinyr' });
    assert.equal(early.status, 400);
    assert.match(early.text, /r_init/);
    const begun = await job(notebook, { action: 'r_init' });
    assert.deepEqual([begun.status, begun.stale_cell_ids], ['completed', []], begun.stderr);
    assert.equal((await notebook.cell(cell)).status, 'ready', 'it does not look for anything of R');
    assert.deepEqual(await namesOf(notebook), ['arrow', 'jsonlite', 'renv']);
    const added = await job(notebook, { action: 'r_add', package: 'tinyr' });
    assert.deepEqual([added.status, added.package, added.lockfile_changed], ['completed', 'tinyr', true]);
    assert.match(added.stdout, /Installing tinyr/);
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
    // An R cell runs with that library, and nothing but its own words is printed.
    const { id } = cellRecord.parse((await notebook.request('POST', '/cells', { language: 'r' })).json);
    await notebook.edit(id, 'cat(tinyr::answer())');
    const ran = await notebook.run(id);
    assert.deepEqual([ran.status, ran.stdout, ran.stderr], ['ready', '42', '']);
  });

  it('is brought back from a lock alone, as version control brings it', { skip, timeout }, async () => {
    const env = renvEnvironment(fs.mkdtempSync(path.join(home, 'lock-')));
    await using server = await startServer({ env });
    const notebook = await createTestNotebook(server, 'Cloned');
    assert.equal((await job(notebook, { action: 'r_init' })).status, 'completed');
    const files = () => fs.readdirSync(notebook.path).filter((name) => /renv|Rprofile/.test(name));
    const lock = fs.readFileSync(path.join(notebook.path, 'renv.lock'), 'utf8');
    for (const name of ['renv', '.Rprofile']) fs.rmSync(path.join(notebook.path, name), { recursive: true });
    assert.equal((await packagesOf(notebook)).packages_status, 'renv_not_active');
    const back = await job(notebook, { action: 'r_init' });
    assert.deepEqual([back.status, back.lockfile_changed], ['completed', false], back.error ?? '');
    assert.deepEqual(files(), ['.Rprofile', 'renv', 'renv.lock']);
    assert.equal(fs.readFileSync(path.join(notebook.path, 'renv.lock'), 'utf8'), lock);
    assert.deepEqual(await namesOf(notebook), ['arrow', 'jsonlite', 'renv']);
  });

  it('shares libraries of the same lock', { skip, timeout }, async () => {
    const folder = fs.mkdtempSync(path.join(home, 'shared-'));
    const envs = path.join(folder, 'envs');
    const env = {
      ...renvEnvironment(folder),
      SVC_NOTEBOOK_ENV_BACKEND: 'shared',
      SVC_NOTEBOOK_SHARED_ENV_DIR: envs,
    };
    await using server = await startServer({ env });
    const [one, two] = [await createTestNotebook(server, 'One'), await createTestNotebook(server, 'Two')];
    const target = ({ path: place }: TestNotebook): string => fs.readlinkSync(path.join(place, 'renv/library'));
    for (const notebook of [one, two]) assert.equal((await job(notebook, { action: 'r_init' })).status, 'completed');
    assert.equal(target(one), target(two));
    assert.equal((await job(one, { action: 'r_add', package: 'tinyr' })).status, 'completed');
    assert.notEqual(target(one), target(two));
    const before = target(one);
    assert.equal((await job(one, { action: 'r_add', package: 'nosuch' })).status, 'failed');
    assert.equal(target(one), before);
    assert.deepEqual(await namesOf(two), ['arrow', 'jsonlite', 'renv']);
  });
});
