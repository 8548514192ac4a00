// A machine that reaches no package index: nobody listens at its address, and uv's cache is empty. uv, interpreters and
// environments are real.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { engineEnvironment } from '../scripts/setup/places.js';
import { findUv } from '../scripts/setup/uv.js';
import { createEnvironments } from '../src/environments/environments.ts';
import { createPackageLender, type PackageLender } from '../src/environments/lending.ts';
import type { EnvironmentWatcher, NotebookEnvironment } from '../src/environments/notebookEnvironment.ts';
import { createOwnBackend } from '../src/environments/ownBackend.ts';
import { createPythons } from '../src/environments/pythons.ts';
import { createRTools } from '../src/environments/renv.ts';
import { createSharedBackend } from '../src/environments/sharedBackend.ts';

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-makeshift-')));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
Object.assign(process.env, {
  UV_DEFAULT_INDEX: 'http://127.0.0.1:9/simple',
  UV_CACHE_DIR: path.join(folder, 'cache'),
  UV_HTTP_RETRIES: '0',
});

const pythons = createPythons({ uv: findUv }).find;
const uv = { program: async () => findUv() ?? 'uv', mayBuild: true };
const watcher: EnvironmentWatcher = {
  isRunning: () => false,
  told: () => {},
  stopProcesses: async () => {},
  beginChange: () => async () => [],
  startProcesses: () => {},
};

/** An environment like the engine's: `packages` are pure Python where `isPure`. */
function lentFrom(name: string, minor: string, packages: Readonly<Record<string, string>>, isPure = true): string {
  const environment = path.join(folder, name);
  const site = path.join(environment, `lib/python${minor}/site-packages`);
  for (const [one, version] of Object.entries(packages)) {
    const info = path.join(site, `${one}-${version}.dist-info`);
    fs.mkdirSync(info, { recursive: true });
    fs.writeFileSync(path.join(site, `${one}.py`), `VERSION = '${version}'\n`);
    fs.writeFileSync(path.join(info, 'WHEEL'), `Wheel-Version: 1.0\nRoot-Is-Purelib: ${isPure}\n`);
    fs.writeFileSync(path.join(info, 'RECORD'), `${one}.py,sha256=x,1\n../../../bin/${one},,\n`);
  }
  return environment;
}

interface Wish {
  readonly lent?: string;
  readonly lender?: PackageLender;
  readonly requirements?: readonly string[];
  readonly minor: string;
  readonly shared?: boolean;
}

async function openNotebook(name: string, { lent, lender, requirements = [], minor, shared }: Wish) {
  const directory = path.join(folder, name);
  if (!fs.existsSync(directory)) {
    fs.mkdirSync(path.join(directory, '.svc'), { recursive: true });
    const list = ['pyarrow>=18.0.0', 'orjson>=3.10.0', 'cloudpickle>=3.0.0', ...requirements];
    const project = { name: 'no-index', version: '0.1.0', 'requires-python': `==${minor}.*` };
    const lines = Object.entries(project).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    const text = `[project]\n${lines.join('\n')}\ndependencies = ${JSON.stringify(list)}\n`;
    fs.writeFileSync(path.join(directory, 'pyproject.toml'), text);
  }
  const environments = createEnvironments({
    backend: shared ? createSharedBackend(uv, path.join(folder, 'shared')) : createOwnBackend(uv),
    r: createRTools({ rscript: () => undefined, shared: null }),
    mayUseAddresses: true,
    pythons,
    lender: lender ?? createPackageLender(async () => lent),
    log: { info: () => {}, warning: () => {} },
  });
  return { directory, environment: await environments.open(directory, watcher) };
}

const said = (directory: string, program: string): string =>
  execFileSync(path.join(directory, '.venv/bin/python'), ['-I', '-c', program]).toString().trim();

function stateOf(environment: NotebookEnvironment) {
  const { sync_state, sync_error, has_lockfile, lockfile_hash } = environment.state();
  return { sync_state, words: sync_error ?? '', has_lockfile, lockfile_hash };
}

describe('without a package index', async () => {
  const [newest, older] = await pythons();
  assert.ok(newest);
  const minor = newest.version;
  const base = { pyarrow: '25.0.1', orjson: '3.13.0', cloudpickle: '3.1.2' };

  it('a new notebook runs with the packages that the server lends, and says what is missing', async () => {
    const lent = lentFrom('lender', minor, base, false);
    const { directory, environment } = await openNotebook('new', { lent, requirements: ['pandas>=2'], minor });
    const project = fs.readFileSync(path.join(directory, 'pyproject.toml'), 'utf8');
    const job = await environment.sync();
    assert.equal(job.status, 'failed');
    const { words, lockfile_hash, ...state } = stateOf(environment);
    assert.deepEqual(state, { sync_state: 'ready', has_lockfile: false });
    assert.match(words, /^No package index can be reached, so the packages of this notebook could not be installed/);
    assert.match(words, /lend: pyarrow 25\.0\.1, orjson 3\.13\.0, cloudpickle 3\.1\.2\.\nMissing: pandas\./);
    assert.match(words, /\nuv sync failed: .*Failed to fetch/s);
    assert.match(words, /\nSync again when an index can be reached; docs\/how-to\/offline\.md .*$/);
    assert.match(environment.state().sync_notice ?? '', /cells run without the packages that are missing/);
    assert.equal(environment.blocksRuns(), null);
    assert.equal(said(directory, 'import pyarrow, orjson, cloudpickle; print(pyarrow.VERSION)'), '25.0.1');
    assert.equal(fs.existsSync(path.join(directory, 'uv.lock')), false);
    assert.equal(fs.readFileSync(path.join(directory, 'pyproject.toml'), 'utf8'), project);
    assert.deepEqual(
      environment.payload().resolved_dependencies.map(({ name, version }) => [name, version]),
      Object.entries(base).toSorted(),
    );
    await environment.close();

    // What was lent is a part of what results depend on.
    const { pyarrow, ...others } = base;
    const less = await openNotebook('less', { lent: lentFrom('less-lender', minor, others), minor });
    await less.environment.sync();
    assert.notEqual(less.environment.state().lockfile_hash, lockfile_hash);
    await less.environment.close();
  });

  it('the packages of the real engine can be used', async (t) => {
    const own = path.join(engineEnvironment, `lib/python${minor}/site-packages`);
    if (!fs.existsSync(own)) return t.skip('the engine runs on another Python');
    const { directory, environment } = await openNotebook('engine', { lent: engineEnvironment, minor });
    await environment.sync();
    assert.equal(said(directory, 'import pyarrow as p; print(p.array([1, 2]).sum())'), '3');
    assert.equal(said(directory, 'import orjson, cloudpickle; print(orjson.dumps([1]).decode())'), '[1]');
    assert.doesNotMatch(environment.state().sync_error ?? '', /Missing/);
    await environment.close();
  });

  it('compiled packages are lent to no other version of Python', async (t) => {
    if (!older) return t.skip('there is only one version of Python here');
    const lent = lentFrom('compiled', minor, base, false);
    const { directory, environment } = await openNotebook('older', { lent, minor: older.version });
    await environment.sync();
    const { words, sync_state } = stateOf(environment);
    assert.equal(sync_state, 'ready');
    assert.match(words, /and its standard library\.\nMissing: pyarrow, orjson, cloudpickle\./);
    assert.equal(said(directory, 'print(1 + 1)'), '2');
    await environment.close();
  });

  it('a package that breaks, or that is not the version asked for, is not lent', async () => {
    const lent = lentFrom('broken', minor, { ...base, cloudpickle: '2.0.0' });
    fs.writeFileSync(path.join(lent, `lib/python${minor}/site-packages/orjson.py`), 'raise ImportError\n');
    const { directory, environment } = await openNotebook('broken-notebook', { lent, minor });
    await environment.sync();
    assert.match(stateOf(environment).words, /lend: pyarrow 25\.0\.1\.\nMissing: orjson, cloudpickle\./);
    const find = 'import importlib.util; print(importlib.util.find_spec("orjson"))';
    assert.equal(said(directory, find), 'None');
    await environment.close();
  });

  it('a lock that came with the notebook stays as it is, and results are not its', async () => {
    const { directory, environment } = await openNotebook('locked', { minor });
    await environment.close();
    const lock = `version = 1\nrequires-python = "==${minor}.*"\n\n[[package]]\nname = "no-index"\nversion = "0.1.0"\nsource = { virtual = "." }\n`;
    fs.writeFileSync(path.join(directory, 'uv.lock'), lock);
    const again = await openNotebook('locked', { minor });
    const { lockfile_hash: ofLock } = again.environment.state();
    await again.environment.sync();
    const state = stateOf(again.environment);
    assert.deepEqual([state.sync_state, state.has_lockfile], ['ready', true]);
    assert.notEqual(state.lockfile_hash, ofLock);
    assert.equal(fs.readFileSync(path.join(directory, 'uv.lock'), 'utf8'), lock);
    await again.environment.close();
  });

  it('an environment that is there already is left alone', async () => {
    const { directory, environment } = await openNotebook('kept', { minor });
    execFileSync(newest.command, ['-m', 'venv', '--without-pip', path.join(directory, '.venv')]);
    fs.writeFileSync(path.join(directory, '.venv/mine'), '');
    await environment.sync();
    assert.equal(fs.existsSync(path.join(directory, '.venv/mine')), true);
    assert.doesNotMatch(stateOf(environment).words, /what the server could lend|standard library/);
    await environment.close();
  });

  it('a job that is cancelled while one is made leaves the one from before', async () => {
    const lent = lentFrom('cancelling', minor, base);
    const { directory, environment } = await openNotebook('cancelled', { minor, lent });
    await environment.sync();
    fs.writeFileSync(path.join(directory, '.venv/mine'), '');
    await environment.close();
    const slow = createPackageLender(async () => {
      again.environment.cancel();
      return lent;
    });
    const again = await openNotebook('cancelled', { minor, lender: slow });
    const job = await again.environment.sync();
    assert.equal(job.error, 'Cancelled before it finished; the environment is as it was.');
    assert.equal(fs.existsSync(path.join(directory, '.venv/mine')), true);
    assert.equal(said(directory, 'import pyarrow; print(pyarrow.VERSION)'), '25.0.1');
    await again.environment.close();
  });

  it('an add that fails leaves the one that stands in', async () => {
    const { directory, environment } = await openNotebook('added', { minor, lent: lentFrom('adding', minor, base) });
    await environment.sync();
    const before = stateOf(environment).lockfile_hash;
    const job = await environment.start({ action: 'add', requirements: ['six'] }).ended;
    assert.equal(job.status, 'failed');
    const { sync_state, lockfile_hash } = stateOf(environment);
    assert.deepEqual([sync_state, lockfile_hash], ['ready', before]);
    assert.equal(said(directory, 'import pyarrow; print(pyarrow.VERSION)'), '25.0.1');
    await environment.close();
  });

  it('it is the same where environments are shared, and the shared folder stays empty', async () => {
    const lent = lentFrom('sharing', minor, base);
    const { directory, environment } = await openNotebook('sharing-notebook', { lent, minor, shared: true });
    await environment.sync();
    assert.equal(stateOf(environment).sync_state, 'ready');
    assert.equal(fs.lstatSync(path.join(directory, '.venv')).isDirectory(), true);
    assert.equal(fs.existsSync(path.join(folder, 'shared/refs')), false);
    await environment.close();
  });
});
