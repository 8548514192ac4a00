// Where a worker runs cells that bring no locked environment: which interpreter it takes, what the operator may choose, and
// what is said where something is missing.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bareInterpreter } from './kit/pythonEnvironment.ts';
import { cleanEnvironment, newHome } from './kit/server.ts';
import { bundleOf, failure, health, refusalOf, startWorker, type TestWorker } from './kit/worker.ts';

const program = fileURLToPath(new URL('../bin/svc-worker.js', import.meta.url));
const where = 'import sys\nprefix = sys.prefix';

const prefixOn = async (worker: TestWorker): Promise<string> =>
  JSON.parse((await bundleOf(await worker.execute(where))).members['files/prefix.json'] ?? 'null');

/** An environment without any package, and without pip. */
async function bareEnvironment(): Promise<string> {
  const folder = path.join(newHome(), 'bare');
  execFileSync(await bareInterpreter(), ['-m', 'venv', '--without-pip', folder]);
  return folder;
}

/** How a worker ends that does not start. */
function ending(args: readonly string[], env: Record<string, string> = {}): Promise<[number | null, string]> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [program, '--port', '0', ...args],
      { env: cleanEnvironment(newHome(), { SVC_WORKER_TOKEN: 'secret', ...env }) },
      (_error, _stdout, stderr) => resolve([child.exitCode, stderr]),
    );
  });
}

describe("the worker's own Python", () => {
  let one = '';
  let other = '';
  before(async () => {
    [one, other] = await Promise.all([bareEnvironment(), bareEnvironment()]);
  });
  const unset = { SVC_WORKER_PYTHON: '', VIRTUAL_ENV: '', CONDA_PREFIX: '' };

  it('is the one that is named, else that of the active environment, else the first on the path', async () => {
    const onPath = `${one}/bin:${process.env.PATH}`;
    const orders: [string[], Record<string, string>, string][] = [
      [['--python', `${one}/bin/python`], { VIRTUAL_ENV: other }, one],
      [[], { SVC_WORKER_PYTHON: `${one}/bin/python`, VIRTUAL_ENV: other }, one],
      [[], { ...unset, VIRTUAL_ENV: one, CONDA_PREFIX: other }, one],
      [[], { ...unset, CONDA_PREFIX: other, PATH: onPath }, other],
      [[], { ...unset, PATH: onPath }, one],
    ];
    for (const [args, env, expected] of orders) {
      await using worker = await startWorker({ args, env });
      assert.equal(await prefixOn(worker), expected);
    }
  });

  it('that is named and cannot be used stops the start, with what to do', async () => {
    assert.deepEqual(await ending(['--python', '/nowhere/python']), [
      2,
      'Svc cannot start: --python: /nowhere/python does not exist; name a Python 3.10 or newer (SVC_WORKER_PYTHON), or leave it out\n',
    ]);
    const [code, said] = await ending([], { SVC_WORKER_PYTHON: '/bin/true' });
    assert.equal(code, 2);
    assert.match(said, /\/bin\/true does not run as a Python 3/);
  });

  it('that is nowhere fails the cell, and says where was looked', async () => {
    const env = { ...unset, VIRTUAL_ENV: '/nowhere', PATH: '/nowhere' };
    await using worker = await startWorker({ env });
    const answer = await worker.execute('x = 1');
    assert.deepEqual(await answer.json(), {
      success: false,
      error:
        'This worker has no Python of its own to run the cell in (VIRTUAL_ENV: /nowhere/bin/python does not exist). Start it with --python and the path of a Python 3.10 or newer, or inside an environment that has one.',
    });
    assert.equal((await health(worker)).own_environment, null);
  });

  it('is told with what is installed for it', async () => {
    await using worker = await startWorker({ args: ['--python', `${one}/bin/python`] });
    const before = (await health(worker)).own_environment;
    assert.deepEqual((await health(worker)).own_environment, before);
    const [packages = ''] = await Array.fromAsync(fs.glob(`${one}/lib/python3*/site-packages`));
    await fs.mkdir(path.join(packages, 'tuned-1.0.dist-info'));
    const after = (await health(worker)).own_environment;
    assert.deepEqual([after?.python, after?.digest === before?.digest], [before?.python, false]);
  });

  it('that lacks what a value travels by says what to install, and where', async () => {
    await using worker = await startWorker({ args: ['--python', `${one}/bin/python`] });
    const read = await bundleOf(
      await worker.execute('rows = len(table)', {
        inputs: [{ name: 'table', format: 'arrow/ipc' }],
        files: { table: 'not looked at' },
      }),
    );
    const install = `install it on the worker: ${one}/bin/python -m pip install`;
    assert.deepEqual(
      [read.manifest.success, read.manifest.error],
      [false, `The input 'table' could not be read: ImportError: reading this value needs pyarrow; ${install} pyarrow`],
    );
    const stored = await bundleOf(await worker.execute('f = lambda: 1'));
    assert.match(JSON.stringify(stored.manifest), /storing this value needs cloudpickle; install it on the worker: /);
  });
});

describe('the environments that an operator allows', () => {
  const lock = { key: 'a'.repeat(64), lockfile: 'version = 1', pyproject: '' };

  it('own: a lock is left alone, and whoever counts on it is refused', async () => {
    await using worker = await startWorker({ args: ['--environment', 'own'] });
    const { environment, locked_environments } = (await health(worker)).capabilities.features;
    assert.deepEqual([environment, locked_environments], ['own', false]);
    const ran = await bundleOf(await worker.execute('x = 1', { params: { environment: lock } }));
    assert.equal(ran.members['files/x.json'], '1');
    const asked = await worker.execute('x = 1', { params: { environment: lock, environment_kind: 'locked' } });
    assert.deepEqual(await refusalOf(asked), failure(500));
  });

  it('locked: a cell without a lock is refused', async () => {
    await using worker = await startWorker({ args: ['--environment', 'locked'] });
    const answers = [
      await worker.execute('x = 1'),
      await worker.execute('x = 1', { params: { environment: lock, environment_kind: 'own' } }),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 500);
      assert.match(await answer.text(), /This worker runs cells in locked environments alone \(--environment locked\)/);
    }
  });

  it('anything else is refused', async () => {
    const [code, said] = await ending(['--environment', 'shared']);
    assert.equal(code, 2);
    assert.match(said, /Allowed choices are auto, locked, own/);
  });
});
