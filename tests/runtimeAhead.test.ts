// Modules that cells import are loaded before the cells ask for them, and no cell can tell.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { isRunning } from '../src/files/index.ts';
import type { PythonRuntimeOptions } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/pythonEnvironment.ts';
import { until } from './kit/until.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-ahead-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A Python whose installed packages are these files, and nothing else. */
async function withPackages(files: Readonly<Record<string, string>>): Promise<string> {
  const home = fs.mkdtempSync(path.join(folder, 'environment-'));
  execFileSync(await bareInterpreter(), ['-m', 'venv', '--without-pip', home]);
  const [version] = fs.readdirSync(path.join(home, 'lib'));
  const packages = path.join(home, 'lib', version ?? '', 'site-packages');
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(packages, name)), { recursive: true });
    fs.writeFileSync(path.join(packages, name), text);
  }
  return path.join(home, 'bin/python');
}

const start = (interpreter: string, source: string, options: Partial<PythonRuntimeOptions> = {}): Cells =>
  startCells(interpreter, { cells: () => [{ source }], ...options });

const loaded = `import os, sys\nprint(os.getpid(), 'slow' in sys.modules)`;
const slow = { 'slow.py': 'import os\nborn = os.getpid()\n' };

test('what a cell imports is loaded before it runs, once for all cells, and only importers see it', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import slow');
  const first = await cells.run('import os, slow\nprint(slow.born != os.getpid(), slow.born)');
  const second = await cells.run('import os, slow\nprint(slow.born != os.getpid(), slow.born)');
  assert.match(first.stdout, /^True \d+\n$/);
  assert.equal(second.stdout, first.stdout);
  assert.match((await cells.run(loaded)).stdout, /False\n$/);
});

test('the second cell of a fresh notebook profits from what the first loaded by itself', async () => {
  const interpreter = await withPackages({
    'outer.py': 'def use():\n    import slow\n    return slow.born\n',
    ...slow,
  });
  await using cells = start(interpreter, 'import outer');
  const source = 'import os, outer\nprint(outer.use() == os.getpid())';
  assert.equal((await cells.run(source)).stdout, 'True\n');
  await cells.logged('slow');
  assert.equal((await cells.run(source)).stdout, 'False\n');
});

test('a cell that is expected finds its modules loaded, those that the rest of the notebook names come after them', async () => {
  const interpreter = await withPackages({ ...slow, 'later.py': 'import time\ntime.sleep(0.2)\n' });
  await using cells = start(interpreter, 'import later, slow');
  await cells.runtime.warm('import slow');
  assert.deepEqual(
    cells.log.map((line) => line.replace(/^.* loaded /, '')),
    ['nothing', 'slow', 'later'],
  );
  const { stdout } = await cells.run('import os, slow\nprint(slow.born == os.getpid())');
  assert.equal(stdout, 'False\n');
});

test('a cell waits for what it names itself, not for what cells below it name', { timeout: 60_000 }, async () => {
  const gate = path.join(folder, 'gate');
  execFileSync('mkfifo', [gate]);
  const held = `import os\nborn = os.getpid()\nopen(${JSON.stringify(gate)}).read()\n`;
  const interpreter = await withPackages({
    'first.py': '',
    'held.py': held,
    'sooner/__init__.py': '',
    'sooner/part.py': '',
    ...slow,
  });
  await using cells = start(interpreter, 'import first\nimport sooner.part\nimport held\nimport slow');
  try {
    await cells.run('import first');
    // Loaded beside cells, before what takes long: who names it, or the package around it, need not wait for that.
    const born = (name: string) => cells.run(`import os, ${name}\nprint(${name}.__name__)`);
    assert.equal((await born('sooner')).stdout, 'sooner\n');
    const last = born('slow');
    await fs.promises.writeFile(gate, ''); // its reader is there once the copy has come to it
    assert.equal((await last).stdout, 'slow\n');
  } finally {
    fs.rmSync(gate);
  }
});

test('what was got ready for a cell that never comes ends by itself', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import slow', { idleSeconds: 0.5 });
  await cells.runtime.warm('import slow');
  // Where this test had to wait, it may be gone already.
  const { pid } = cells.runtime;
  await until(() => pid === undefined || !isRunning(pid), 'the zygote that nobody used has ended');
  assert.equal(cells.runtime.pid, undefined);
});

test('modules that packages put among the others by themselves do not bring one package with the other', async () => {
  // As Cython does with what its modules share.
  const putShared = 'import sys, types\nsys.modules.setdefault("shared", types.ModuleType("shared"))\n';
  const interpreter = await withPackages({ 'first.py': putShared, 'second.py': putShared });
  const looking = `import sys\nprint([name for name in ('first', 'second', 'shared') if name in sys.modules])`;
  const sources = ['import first', 'import second'].map((source) => `${source}\n${looking}`);
  await using cells = startCells(interpreter, { cells: () => sources.map((source) => ({ source })) });
  for (const source of sources) await cells.run(source);
  const seen: string[] = [];
  for (const source of sources) seen.push((await cells.run(source)).stdout);
  seen.push((await cells.run(looking)).stdout);
  assert.deepEqual(seen, ["['first', 'shared']\n", "['second', 'shared']\n", '[]\n']);
});

test('what was seen of modules is kept with the environment, and is known to the next server', async () => {
  const interpreter = await withPackages({ 'outer.py': 'def use():\n    import slow\n', ...slow });
  const modulesFile = path.join(folder, 'modules.json');
  {
    await using cells = start(interpreter, 'import outer', { modulesFile });
    await cells.run('import outer; outer.use()');
    await cells.logged('slow');
  }
  const kept = JSON.parse(fs.readFileSync(modulesFile, 'utf8'));
  const facts = kept.modules.find(({ name }: { name: string }) => name === 'slow');
  assert.deepEqual(
    { ...facts, seen: Object.keys(facts.seen) },
    {
      name: 'slow',
      with: ['outer'],
      verdict: 'fork',
      seen: ['seconds', 'bytes', 'modules', 'threads', 'fork_handlers'],
    },
  );
  await using cells = start(interpreter, 'import outer', { modulesFile });
  await cells.run('import outer');
  await cells.logged('slow');
});

const says = `import os, warnings
print('hello from', __name__)
warnings.warn('old', UserWarning, stacklevel=1)
os.environ['SPEAKER'] = 'set'
warnings.filterwarnings('ignore', message='of speaker')
`;
const hears = `import warnings
before = len(warnings.filters)
import speaker, os
print(os.environ.get('SPEAKER'), len(warnings.filters) - before)`;

test('an import does the same to a cell whether it was ahead or not', async () => {
  const interpreter = await withPackages({ 'speaker.py': says });
  const seen = async (options: Partial<PythonRuntimeOptions>) => {
    await using cells = startCells(interpreter, options);
    await cells.run('1');
    const untouched = await cells.run(`import os, warnings\nprint(os.environ.get('SPEAKER'))`);
    const { stdout, stderr } = await cells.run(hears);
    return { untouched: untouched.stdout, stdout, stderr };
  };
  const ahead = await seen({ cells: () => [{ source: 'import speaker' }] });
  const alone = await seen({ warmPoolSize: 0 });
  assert.deepEqual(ahead, alone);
  assert.equal(ahead.stdout, 'hello from speaker\nset 1\n');
  assert.match(ahead.stderr, /speaker\.py:3: UserWarning: old/);
});

test('random numbers that a package begins anywhere differ between cells, those that it begins at a number do not', async () => {
  const interpreter = await withPackages({
    'dice.py': 'import random\nfree, fixed = random.Random(), random.Random(7)\n',
  });
  await using cells = start(interpreter, 'import dice');
  const source = 'import dice\nprint(dice.free.random())\nprint(dice.fixed.random())';
  const [a, b] = [await cells.run(source), await cells.run(source)].map(({ stdout }) => stdout.split('\n'));
  assert.notEqual(a?.[0], b?.[0]);
  assert.equal(a?.[1], b?.[1]);
});

test('a file of the cell’s own folder goes before a package of the same name', async () => {
  const interpreter = await withPackages({ 'helper.py': 'who = "package"\n' });
  await using cells = start(interpreter, 'import helper');
  assert.equal((await cells.run('import helper\nprint(helper.who)')).stdout, 'package\n');
  fs.writeFileSync(path.join(cells.folder, 'work/helper.py'), 'who = "own"\n');
  assert.equal((await cells.run('import helper\nprint(helper.who)')).stdout, 'own\n');
});

const threaded = `import threading, os
born = os.getpid()
threading.Thread(target=threading.Event().wait, daemon=True, name='poller').start()
`;

test('a package that starts threads is loaded by an interpreter of its own, which waits for the next cell', async () => {
  const interpreter = await withPackages({ 'threaded.py': threaded });
  await using cells = start(interpreter, 'import threaded');
  const source = 'import os, threading, threaded\nprint(threaded.born == os.getpid(), threading.active_count())';
  assert.equal((await cells.run(source)).stdout, 'True 2\n');
  assert.match(await cells.logged('threaded is not loaded ahead'), /starts threads that a fork does not carry over/);
  assert.equal((await cells.run(source)).stdout, 'True 2\n');
  // A cell that does not name the package goes on as before.
  assert.match((await cells.run(loaded)).stdout, /False\n$/);
});

test('a package that opens a socket, or warns of forks, is not loaded before one', async () => {
  const interpreter = await withPackages({
    'dialler.py': 'import socket\nline = socket.socket()\n',
    'warner.py': `import os, warnings
def before():
    warnings.warn('no forks, please', RuntimeWarning)
os.register_at_fork(before=before)
`,
  });
  await using cells = start(interpreter, 'import dialler, warner');
  assert.equal((await cells.run('import dialler, warner')).outcome, 'success');
  assert.match(await cells.logged('dialler is not loaded ahead'), /opens a socket/);
  assert.match(await cells.logged('warner is not loaded ahead'), /no forks, please/);
});

test('a package that ends whoever loads it is left out, said once, and its cell runs once', async () => {
  const interpreter = await withPackages({ 'deadly.py': 'import os\nos._exit(3)\n' });
  await using cells = start(interpreter, 'import deadly');
  const trace = path.join(folder, 'deadly-runs');
  const source = `open(${JSON.stringify(trace)}, 'a').write('x')\nimport deadly`;
  assert.equal((await cells.run(source)).outcome, 'died');
  assert.equal(fs.readFileSync(trace, 'utf8'), 'x');
  assert.equal((await cells.run('1 + 1')).displays[0]?.preview, 2);
  assert.equal((await cells.run(source)).outcome, 'died');
  const lines = cells.log.filter((line) => line.includes('deadly is not loaded ahead'));
  assert.equal(lines.length, 1);
});

test('an idle notebook gives everything back, and what it learned is still there', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import slow', { idleSeconds: 0.05 });
  await cells.run('import slow');
  const { pid } = cells.runtime;
  await cells.logged(`process ${pid} is over`);
  assert.ok(pid !== undefined);
  assert.match((await cells.run('import os, slow\nprint(slow.born != os.getpid())')).stdout, /True/);
  await until(() => !isRunning(pid), 'its parent has buried it');
});

test('a killed zygote that has grown is replaced, with its modules', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import slow');
  const source = 'import os, slow\nprint(slow.born != os.getpid())';
  await cells.run(source);
  const { pid } = cells.runtime;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGKILL');
  await cells.logged(`process ${pid} is over`);
  assert.equal((await cells.run(source)).stdout, 'True\n');
});

test('where nothing may be forked, interpreters that wait have loaded the modules', async () => {
  const interpreter = await withPackages({ 'clocked.py': 'import time\nat = time.monotonic()\n' });
  await using cells = start(interpreter, 'import clocked', { fork: false });
  const source = `import sys, time\nbegan = time.monotonic()\nwas = 'clocked' in sys.modules
import clocked\nprint(clocked.at < began, was)`;
  assert.equal((await cells.run(source)).stdout, 'True False\n');
  assert.equal((await cells.run(source)).stdout, 'True False\n');
});

test('cells without any waiting process import by themselves', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import slow', { warmPoolSize: 0 });
  assert.equal((await cells.run('import os, slow\nprint(slow.born == os.getpid())')).stdout, 'True\n');
});

test('what nobody has loaded ahead is learned from a module of the cell’s own folder too', async () => {
  const interpreter = await withPackages(slow);
  await using cells = start(interpreter, 'import helper');
  fs.writeFileSync(path.join(cells.folder, 'work/helper.py'), 'import slow\nborn = slow.born\n');
  const source = 'import os, helper\nprint(helper.born == os.getpid())';
  assert.equal((await cells.run(source)).stdout, 'True\n');
  await cells.logged('slow');
  assert.equal((await cells.run(source)).stdout, 'False\n');
});

test('a zygote that leaves ends what cells left behind, and hands on the copy of a copy that left before it', async () => {
  // The first stands for the zygote, the child for its copy; of the two that become orphans one leads a group, as cells do.
  const program = `
import os, signal, time
from svc_runtime.descendants import adopt_orphans, end_strangers
adopt_orphans()
read, write = os.pipe()
if os.fork() == 0:
    for own_group in (False, True):
        pid = os.fork()
        if pid == 0:
            if own_group: os.setpgid(0, 0)
            os.write(write, f'{os.getpid()} '.encode())
            time.sleep(600)
            os._exit(0)
    os._exit(0)
os.wait()
orphans = b''
while len(orphans.split()) < 2 or not orphans.endswith(b' '): orphans += os.read(read, 100)
groups = {int(pid): os.getpgid(int(pid)) for pid in orphans.split()}
copy = next(pid for pid, group in groups.items() if group == os.getpgrp())
print(end_strangers(set(), spares_own_group=True), end_strangers(set(), spares_own_group=True))
os.kill(copy, 0)
print(end_strangers(set()))
`;
  const env = { ...process.env, PYTHONPATH: path.join(import.meta.dirname, '../python') };
  assert.equal(execFileSync(await bareInterpreter(), ['-c', program], { env }).toString(), 'True False\nTrue\n');
});
