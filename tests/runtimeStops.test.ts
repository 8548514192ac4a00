// Cancelling and running out of time: at any moment, with everything the cell has started.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';
import { createRandom } from './kit/random.ts';

let cells: Cells;
before(async () => {
  cells = startCells(await bareInterpreter());
  await cells.runtime.warm('');
});
after(() => cells[Symbol.asyncDispose]());

test('a cell that takes too long is told which lever set the limit', async () => {
  const result = await cells.run(`print('begun', flush=True)\nimport time; time.sleep(600)`, {
    timeoutSeconds: 0.2,
    timeoutLever: "the cell's @timeout annotation",
  });
  assert.equal(result.outcome, 'timeout');
  assert.equal(result.stdout, 'begun\n');
  assert.equal(
    result.error?.text,
    'CellTimeout: The cell did not finish within 0.2 s and was stopped with everything it had started. ' +
      "The limit was set by the cell's @timeout annotation: raise it there, or do less in one cell.",
  );
});

test('a cell that ignores every signal it can, with children that do the same, is gone when the run is', async () => {
  const stop = new AbortController();
  const result = await cells.run(
    `
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for _ in range(2):
    os.fork()
print(os.getpid(), flush=True)
time.sleep(600)
`,
    {
      signal: stop.signal,
      onEvent: () => {
        if (++seen === 1) stop.abort();
      },
    },
  );
  assert.equal(result.outcome, 'cancelled');
  const pids = result.stdout.trim().split('\n').map(Number);
  assert.ok(pids.length >= 1);
  for (let attempt = 0; attempt < 20 && pids.some(isRunning); attempt += 1) await cells.run('1');
  assert.deepEqual(pids.filter(isRunning), []);
});
let seen = 0;

for (const [what, source] of [
  ['busy', 'while True: pass'],
  ['asleep', 'import time; time.sleep(600)'],
  ['deep in C', 'pow(7, 10 ** 9)'],
  ['swallowing everything', 'while True:\n  try:\n    while True: pass\n  except BaseException: pass'],
] as const) {
  test(`a cell that is ${what} can be cancelled`, async () => {
    const stop = new AbortController();
    const run = cells.run(`print('begun', flush=True)\n${source}`, {
      signal: stop.signal,
      onEvent: () => stop.abort(),
    });
    const { outcome, error, variables } = await run;
    assert.deepEqual([outcome, error?.error_type, variables], ['cancelled', 'Cancelled', {}]);
  });
}

test('a run that was cancelled before it began runs nothing', async () => {
  const result = await cells.run(`open('began', 'w')`, { signal: AbortSignal.abort() });
  assert.equal(result.outcome, 'cancelled');
  assert.ok(!fs.existsSync(path.join(cells.folder, 'work', 'began')));
});

test('cancelling at any moment gives one outcome and leaves the runtime well', async (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  for (let round = 0; round < 60; round += 1) {
    const stop = new AbortController();
    const run = cells.run('import json, decimal, fractions, email.message\nprint(1)\nx = [i for i in range(20_000)]', {
      signal: stop.signal,
      wanted: ['x'],
    });
    const timer = setTimeout(() => stop.abort(), random.below(30));
    const { outcome, variables } = await run;
    clearTimeout(timer);
    assert.ok(outcome === 'cancelled' || outcome === 'success', outcome);
    assert.equal(variables.x !== undefined, outcome === 'success');
  }
  assert.equal((await cells.run('1 + 1')).displays[0]?.preview, 2);
});

test('many cells at a time each get their own result', async () => {
  const numbers = Array.from({ length: 12 }, (_, number) => number);
  const results = await Promise.all(numbers.map((number) => cells.run(`print(${number})\n${number}`)));
  assert.deepEqual(
    results.map(({ stdout, displays }) => [stdout, displays[0]?.preview]),
    numbers.map((number) => [`${number}\n`, number]),
  );
});

test('a source of a million characters arrives whole', async () => {
  const { error, displays } = await cells.run(`${'x = 1\n'.repeat(160_000)}x`);
  assert.equal(error, null);
  assert.equal(displays[0]?.preview, 1);
});

test('closing ends what runs', async () => {
  await using others = startCells(await bareInterpreter());
  const run = others.run(`import os; print(os.getpid(), flush=True)\nwhile True: pass`, {
    onEvent: () => others.runtime.close(),
  });
  const { outcome, stdout } = await run;
  assert.equal(outcome, 'died');
  assert.ok(!isRunning(Number(stdout)));
  await assert.rejects(others.run('1'), /This runtime was closed/);
});

test('a zygote that rests is ended, and the next cell starts another', async () => {
  await using others = startCells(await bareInterpreter(), { idleSeconds: 0.05 });
  await others.run('1');
  assert.match(await others.logged('is over'), /it exited with status 0/);
  assert.equal(others.runtime.pid, undefined);
  assert.equal((await others.run('1 + 1')).displays[0]?.preview, 2);
});

for (const [what, options] of [
  ['without forking', { fork: false }],
  ['cold', { warmPoolSize: 0 }],
] as const) {
  test(`${what}, cells run in fresh interpreters by the same protocol`, async () => {
    await using others = startCells(await bareInterpreter(), options);
    const first = await others.run('import os\nx = os.getpid()\nprint(1)', { wanted: ['x'] });
    assert.deepEqual([first.outcome, first.stdout], ['success', '1\n']);
    assert.equal(first.executionMethod, what === 'cold' ? 'cold' : 'warm');
    const second = await others.run('[x != os.getpid(), 1]\n', { inputs: { x: first.input('x') } });
    assert.equal(second.error?.error_type, 'NameError');
    assert.equal((await others.run('import os; os._exit(4)')).outcome, 'died');
    const stop = new AbortController();
    const run = others.run(`print(1, flush=True)\nwhile True: pass`, {
      signal: stop.signal,
      onEvent: () => stop.abort(),
    });
    assert.equal((await run).outcome, 'cancelled');
  });
}

function isRunning(pid: number): boolean {
  try {
    const state = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
    return state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
