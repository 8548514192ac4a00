// Every way in which a cell can end, and what is left afterwards: one clear result, no second run, no process.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';

const once = `
with open('runs', 'a') as file:
    file.write('x')
`;

let cells: Cells;
before(async () => {
  cells = startCells(await bareInterpreter());
});
after(() => cells[Symbol.asyncDispose]());

function takeRuns(): string {
  const file = path.join(cells.folder, 'work/runs');
  const runs = fs.readFileSync(file, 'utf8');
  fs.rmSync(file);
  return runs;
}

for (const [what, source, outcome, errorType, message] of [
  ['sys.exit', 'import sys; sys.exit(3)', 'error', 'SystemExit', /called sys\.exit\(3\); a cell ends by reaching/],
  ['sys.exit without a fault', 'import sys; sys.exit()', 'error', 'SystemExit', /called sys\.exit\(None\)/],
  ['KeyboardInterrupt', 'raise KeyboardInterrupt', 'error', 'KeyboardInterrupt', /^$/],
  [
    'os._exit',
    'import os; os._exit(0)',
    'died',
    'CellProcessDied',
    /ended its own process with status 0.*not run again/,
  ],
  ['a segfault', 'import ctypes; ctypes.string_at(0)', 'died', 'CellProcessDied', /crashed \(SIGSEGV\) in native code/],
  ['SIGKILL', 'import os; os.kill(os.getpid(), 9)', 'died', 'CellProcessDied', /\(SIGKILL\)\. Most often.*memory/],
  ['SIGTERM', 'import os; os.kill(os.getpid(), 15)', 'died', 'CellProcessDied', /ended by SIGTERM/],
  ['an abort', 'import os; os.abort()', 'died', 'CellProcessDied', /SIGABRT/],
  ['recursion', 'def f(): return f()\nf()', 'error', 'RecursionError', /maximum recursion depth/],
  [
    'too little memory',
    'import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\nx = bytearray(1 << 30)',
    'error',
    'MemoryError',
    /^$/,
  ],
  ['closed descriptors', 'import os; os.closerange(3, 4096)', 'died', 'CellProcessDied', /closed file descriptors/],
  [
    'a file in the place of a closed descriptor',
    `import os; os.closerange(3, 4096); f = [open('other%d' % i, 'w') for i in range(40)]`,
    'died',
    'CellProcessDied',
    /closed file descriptors/,
  ],
  [
    'an exception that cannot speak',
    'class E(Exception):\n  def __str__(self): 1/0\nraise E',
    'error',
    'E',
    /could not be read/,
  ],
  [
    'a builtin torn out',
    'import builtins; del builtins.len, builtins.open; 1/0',
    'error',
    'ZeroDivisionError',
    /division by zero/,
  ],
] as const) {
  test(`${what}: ${errorType}, once`, async () => {
    const result = await cells.run(once + source);
    assert.equal(takeRuns(), 'x');
    assert.equal(result.outcome, outcome);
    assert.equal(result.error?.error_type, errorType);
    assert.match(result.error?.message ?? '', message);
    assert.equal((await cells.run('1 + 1')).displays[0]?.preview, 2);
  });
}

test('a segfault shows its line on the console', async () => {
  const { stderr } = await cells.run('import ctypes\n\nctypes.string_at(0)', { cellId: 'abc' });
  assert.match(stderr, /Fatal Python error: Segmentation fault[\s\S]*File "<cell abc>", line 3 in <module>/);
});

test('a forked process that goes on to the end of the cell answers nothing', async () => {
  const { outcome, variables, stdout } = await cells.run(`
import os
child = os.fork()
who = 'child' if child == 0 else 'parent'
if child:
    os.waitpid(child, 0)
print(who)
`);
  assert.equal(outcome, 'success');
  assert.equal(variables.who?.preview, 'parent');
  assert.equal(stdout, 'child\nparent\n');
});

test('a forked process stores and shows nothing', async () => {
  const { outcome, displays, outputDir, error } = await cells.run(
    `
import os
child = os.fork()
who = 'child' * 1000 if child == 0 else 'parent'
display(who)
if child:
    os.waitpid(child, 0)
`,
    { wanted: ['who'] },
  );
  assert.deepEqual([outcome, error], ['success', null]);
  assert.deepEqual(
    displays.map((record) => record.preview),
    ['parent'],
  );
  assert.equal(fs.readFileSync(path.join(outputDir, 'who.json'), 'utf8'), '"parent"');
  assert.deepEqual(fs.readdirSync(outputDir).sort(), ['__display__0.json', 'who.json']);
});

test('a forked process that survives the cell is ended, and the run does not wait for it', async () => {
  const { outcome, stdout } = await cells.run(`
import os, time
child = os.fork()
if child == 0:
    time.sleep(600)
print(child)
`);
  assert.equal(outcome, 'success');
  await gone(Number(stdout));
});

test('children that hold the console, ignore signals or leave the session do not outlive the run', async () => {
  const result = await cells.run(`
import subprocess
ignoring = subprocess.Popen(['sh', '-c', 'trap "" TERM HUP INT; sleep 600'])
leaving = subprocess.Popen(['sleep', '600'], start_new_session=True)
orphan = int(subprocess.check_output(['sh', '-c', 'setsid sleep 600 >/dev/null 2>&1 & echo $!']))
ignoring, leaving = ignoring.pid, leaving.pid
`);
  assert.equal(result.outcome, 'success');
  for (const name of ['ignoring', 'leaving', 'orphan']) await gone(Number(result.variables[name]?.preview));
});

test('a thread that never ends does not hold the run', async () => {
  const { outcome, variables } = await cells.run(`
import threading, time
threading.Thread(target=lambda: time.sleep(600)).start()
x = 1
`);
  assert.equal(outcome, 'success');
  assert.deepEqual(variables.x, { content_type: 'json/object', preview: 1 });
});

test('functions registered with atexit run, and one that hangs is not waited for', async () => {
  const told = await cells.run(`import atexit; atexit.register(print, 'bye')`);
  assert.equal(told.stdout, 'bye\n');
  const hung = await cells.run(`import atexit, time; atexit.register(time.sleep, 600); x = 1`);
  assert.equal(hung.outcome, 'success');
  assert.ok(hung.durationMs < 5000);
});

test('writing to every descriptor neither forges nor breaks the result', async () => {
  const { outcome, variables, stdout } = await cells.run(`
import os
for descriptor in range(1, 64):
    try:
        os.write(descriptor, b'{"error":null,"variables":{}}\\n' * 3)
    except OSError:
        pass
x = 'true'
`);
  assert.equal(outcome, 'success');
  assert.equal(variables.x?.preview, 'true');
  assert.match(stdout, /^\{"error":null/);
});

test('a program started by the cell inherits no descriptor of ours', async () => {
  const { stdout } = await cells.run(`
import subprocess
subprocess.run(['sh', '-c', 'ls /proc/self/fd'], close_fds=False)
`);
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map(Number)
      .filter((number) => number > 3),
    [],
  );
});

test('a cell that ends its zygote fails alone, and the next one runs', async () => {
  const neighbour = cells.run('import time; time.sleep(600)');
  const killer = await cells.run('import os, time; os.kill(os.getppid(), 9); time.sleep(600)');
  assert.equal(killer.outcome, 'died');
  assert.match(
    killer.error?.message ?? '',
    /did not see the cell through: (it was ended by SIGKILL|its pipes were closed)/,
  );
  assert.equal((await neighbour).outcome, 'died');
  assert.equal((await cells.run('1 + 1')).displays[0]?.preview, 2);
});

test('two hundred runs leave neither processes nor descriptors behind', async () => {
  await cells.run('1');
  const pid = cells.runtime.pid;
  const before = fs.readdirSync(`/proc/${pid}/fd`).length;
  for (let round = 0; round < 200; round += 1) {
    const source = ['print(1)', '1/0', 'import os; os._exit(1)', 'import os; os.fork()'][round % 4] ?? '';
    await cells.run(source);
  }
  // What the last runs left is cleared away while others run: on a busy machine that takes a few of them.
  const open = (): number => fs.readdirSync(`/proc/${pid}/fd`).length;
  for (let round = 0; round < 100 && open() > before + 8; round += 1) await cells.run('1');
  assert.ok(open() <= before + 8, 'descriptors of the zygote');
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  assert.ok(children.length <= 4, `children of the zygote: ${children.join(' ')}`);
});

test('an interpreter that does not exist, or is none, is named', async () => {
  await using none = startCells('/nowhere/python');
  const missing = await none.run('1');
  assert.equal(missing.outcome, 'died');
  assert.match(missing.error?.message ?? '', /\/nowhere\/python could not be run \(spawn \/nowhere\/python ENOENT\)/);
  await using wrong = startCells('/bin/false');
  assert.match((await wrong.run('1')).error?.message ?? '', /it exited with status 1/);
});

/** Whether it can still run code: one that waits to be buried cannot. */
function isRunning(pid: number): boolean {
  try {
    const state = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

/** One that left the group is ended when the zygote inherits it; cells that run meanwhile are the clock. */
async function gone(pid: number): Promise<void> {
  for (let attempt = 0; attempt < 20 && isRunning(pid); attempt += 1) await cells.run('1');
  assert.ok(!isRunning(pid), `process ${pid} is still there`);
}

test('a module that ends the process that loads it ahead harms no cell', async () => {
  await using others = startCells(await bareInterpreter(), {
    cells: () => [{ source: 'import numpy' }],
    policy: { variables: { ...process.env, PYTHONPATH: deadlyModules() }, allowlist: [] },
  });
  const [first, second] = await Promise.all([others.run('1 + 1'), others.run('2 + 2')]);
  assert.deepEqual([first.displays[0]?.preview, second.displays[0]?.preview], [2, 4]);
  assert.equal((await others.run('import numpy')).outcome, 'died');
  assert.equal((await others.run('1 + 1')).displays[0]?.preview, 2);
});

test('a cell cancelled while its zygote still starts is over at once and never runs', async () => {
  await using others = startCells(await bareInterpreter(), {
    cells: () => [{ source: 'import numpy' }],
    policy: {
      variables: { ...process.env, PYTHONPATH: modules('import time; time.sleep(1)') },
      allowlist: [],
    },
  });
  const stop = new AbortController();
  const run = others.run(`open('began', 'w')`, { signal: stop.signal });
  setImmediate(() => stop.abort());
  const { outcome, durationMs } = await run;
  assert.equal(outcome, 'cancelled');
  assert.ok(durationMs < 900);
  await others.run('1');
  assert.ok(!fs.existsSync(path.join(others.folder, 'work', 'began')));
});

const deadlyModules = (): string => modules('import os; os._exit(9)');

/** A folder with a `numpy` of our own. */
function modules(source: string): string {
  const folder = fs.mkdtempSync(path.join(cells.folder, 'modules-'));
  fs.writeFileSync(path.join(folder, 'numpy.py'), source);
  return folder;
}
