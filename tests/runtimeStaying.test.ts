// A cell process that its cell left as it was runs the next cell too; any other leaves. Nobody can tell the difference.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Cells, startCells } from './kit/cells.ts';
import { bareInterpreter } from './kit/notebookEnvironment.ts';
import { createRandom } from './kit/random.ts';
import { untilGiven } from './kit/until.ts';

const python = fileURLToPath(new URL('../python', import.meta.url));
const whoAmI = 'import os\nprint(os.getpid())';
let interpreter: string;
let cells: Cells;
before(async () => {
  interpreter = await bareInterpreter();
  cells = startCells(interpreter);
  await cells.runtime.warm('');
});
after(() => cells[Symbol.asyncDispose]());

const waiting = (): number[] =>
  execFileSync('ps', ['-axo', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, state]) => Number(parent) === cells.runtime.pid && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));

/** The two that wait: what a run has left behind has gone, what it took has been replaced. */
async function theTwoThatWait(): Promise<number[]> {
  return untilGiven(async () => {
    const pids = waiting();
    if (pids.length === 2) return pids;
    await cells.run('1');
    return undefined;
  }, 'two processes wait');
}

/** Those that run the next two cells. */
const nextTwo = async (): Promise<number[]> =>
  (await Promise.all([cells.run(whoAmI), cells.run(whoAmI)])).map(({ stdout }) => Number(stdout));

test('processes stay as long as cells are plain', async () => {
  const before = await theTwoThatWait();
  const results = [];
  let inputs = {};
  for (let step = 0; step < 20; step += 1) {
    const source = step === 0 ? 'x = [1]' : 'x = [*x, len(x) + 1]\nprint(f"{len(x)} of them")\nsum(x)';
    const cell = await cells.run(source, { inputs, wanted: ['x'] });
    inputs = { x: cell.input('x') };
    results.push([cell.outcome, cell.stdout]);
  }
  assert.deepEqual(
    results,
    Array.from({ length: 20 }, (_, step) => ['success', step === 0 ? '' : `${step + 1} of them\n`]),
  );
  assert.deepEqual((await nextTwo()).sort(), before.sort());
});

for (const [what, source] of [
  ['imports', 'import math\nx = math.pi'],
  ['fails', 'x = 1 / 0'],
  ['gives what is not plain data', 'x = {1, 2}'],
  ['defines what others could call', 'def x(): return 1'],
  ['takes much memory', 'x = len([0] * 10_000_000)'],
] as const)
  test(`a process whose cell ${what} leaves`, async () => {
    const [before, { length }] = [await theTwoThatWait(), await Promise.all([cells.run(source), cells.run(source)])];
    assert.equal(length, 2);
    const after = await nextTwo();
    assert.deepEqual(
      before.filter((pid) => after.includes(pid)),
      [],
    );
  });

test('nothing of a plain cell is left for the next: names, variables of the environment, folders, console', async () => {
  const plain = await cells.run('left = 1\nprint("half a line", end="")', {
    env: { LEFT_BEHIND: 'yes', HOME: '/nowhere' },
  });
  assert.equal(plain.stdout, 'half a line');
  const look =
    'import os, sys\n[os.environ.get("LEFT_BEHIND"), os.environ["HOME"], "left" in dir(), os.getcwd() in sys.path, len(sys.path)]';
  const fresh = startCells(interpreter);
  try {
    const [seen, expected] = [await cells.run(look), await fresh.run(look)];
    assert.deepEqual([seen.stdout, seen.displays[0]?.preview], ['', expected.displays[0]?.preview]);
  } finally {
    await fresh[Symbol.asyncDispose]();
  }
});

test('what plain cells change in place is as it was stored for the next one that reads it', async () => {
  const made = await cells.run('given = [1]', { wanted: ['given'] });
  const inputs = { given: made.input('given') };
  const changed = [];
  for (let round = 0; round < 6; round += 1) {
    const { displays } = await cells.run('given.append(2)\ngiven', { inputs });
    changed.push(displays[0]?.preview);
  }
  assert.deepEqual(changed, Array(6).fill([1, 2]));
});

test('stopping plain cells at any moment never harms the next', async (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  for (let round = 0; round < 60; round += 1) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), random.below(7));
    const stopped = cells.run('total = sum(range(20000))', { signal: stop.signal });
    const { outcome } = await stopped;
    clearTimeout(timer);
    assert.ok(outcome === 'success' || outcome === 'cancelled', outcome);
    const next = await cells.run('y = 2\ny');
    assert.deepEqual([next.outcome, next.displays[0]?.preview], ['success', 2]);
  }
});

const plainParts = [
  ...['1', '2.5', '"ab"', '[3, 1, 2]', '{"k": 1}', 'given', 'x', 'undefined', '1 / 0', 'given[9]'],
  ...['len(given)', 'sorted(given)', '[n for n in range(5)]', 'max(given + [1])', 'given.append(7)', 'x.upper()'],
  ...['print("p")', 'hash("a")', 'repr(given)', '(lambda q: q)(4)', '"{}".format(x)', 'list(map(str, given))'],
] as const;
const otherCells = [
  'import os, sys\nx = ["LEFT" in os.environ, os.getcwd() in sys.path, sys.argv, hasattr(sys, "left")]',
  'import os, sys, builtins\nos.environ["LEFT"] = "1"\nsys.left = builtins.left = 1',
  'x = left',
  'class A: pass\nx = sorted(globals())',
] as const;

test('cells in any order give what they give in a process of their own', async (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  await using alone = startCells(interpreter, { warmPoolSize: 0 });
  const inputs = { given: { contentType: 'json/inline', file: '[5, 6]' } };
  const seenIn = async (where: Cells, source: string) => {
    const { outcome, stdout, stderr, error, variables, displays } = await where.run(source, { inputs });
    const previews = Object.entries(variables).map(([name, { preview }]) => [name, preview]);
    return [source, outcome, stdout, stderr, error?.message, previews, displays.map(({ preview }) => preview)];
  };
  for (let round = 0; round < 40; round += 1) {
    const lines = Array.from(
      { length: 1 + random.below(4) },
      () => random.pick(['x = ', 'y = ', '']) + random.pick(plainParts),
    );
    const source = random.below(10) < 7 ? lines.join('\n') : random.pick(otherCells);
    assert.deepEqual(await seenIn(cells, source), await seenIn(alone, source));
  }
});

test('only code that is known to be harmless is plain', () => {
  const judged = (sources: readonly string[]): Record<string, boolean> =>
    JSON.parse(
      execFileSync(
        interpreter,
        [
          '-c',
          'import json, sys\nfrom svc_runtime.harmless import is_plain_code\n' +
            'print(json.dumps({source: is_plain_code(source, ["given", "exec"]) for source in json.load(sys.stdin)}))',
        ],
        { env: { PYTHONPATH: python }, input: JSON.stringify(sources), encoding: 'utf8' },
      ),
    );
  const all = (sources: readonly string[], plain: boolean): Record<string, boolean> =>
    Object.fromEntries(sources.map((source) => [source, plain]));
  const plain = [
    '',
    'x = 1',
    'x = given + 1\nx',
    'given.append(3)',
    'given["a"] = {"b": [1, 2, (3, 4)]}',
    'rows = sorted(({"n": n} for n in range(9) if n % 2), key=lambda row: -row["n"])',
    'def twice(n):\n    return 2 * n\nx = [twice(n) for n in given]',
    'try:\n    x = int("three")\nexcept ValueError as problem:\n    x = None',
    'total: int = 0\nwhile total < 10:\n    total += 1\nelse:\n    print(f"{total:>8}")',
    'first, *rest = given\ndel first',
    'sum = 3\nsum + 1',
  ];
  const other = [
    'import os',
    'from math import pi',
    'x = __import__("os")',
    'x = open("file")',
    'eval("1")',
    'globals()',
    'given.x = 1',
    'given.__class__',
    'given._private',
    'x = (n for n in given).gi_frame',
    'type(given)',
    'class A: pass',
    'setattr(given, "x", 1)',
    'unknown + 1',
    'print.__self__',
    '__builtins__["len"] = None',
    '__name__ = "x"\n__name__',
    'await given',
    'async def f(): pass',
    'with given: pass',
    'raise ValueError',
    'input()',
    'exec = exec\nexec("import sys; sys.left = 1")',
    'if False:\n    exec = 1\nexec("import sys; sys.left = 1")',
    'del exec\nexec("import sys; sys.left = 1")',
    'def f(open):\n    return open("file")\nf(1)',
    'svc = svc\nsvc.get("x")',
    'display(1)',
    'svc.get("x")',
    'def f():\n    yield 1',
    'match given:\n    case 1: pass',
    'x = (',
    'x = "\0"',
  ];
  assert.deepEqual(judged([...plain, ...other]), { ...all(plain, true), ...all(other, false) });
});
