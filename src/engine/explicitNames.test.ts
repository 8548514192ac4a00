// Names that several cells write: each definition gets a name of its own, and nothing comes to mean something else. The seed is
// printed; SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { seed } from '../notebook/testing.ts';
import { explicitNames, type NamedCell } from './explicitNames.ts';
import { analysisCommand, observedEngine, python, pythonFolder } from './testing.ts';

const cellsOf = (sources: readonly string[]): NamedCell[] =>
  sources.map((source) => ({ language: 'python', source, reads: [], defines: [] }));

interface Case {
  readonly what: string;
  readonly name: string;
  readonly cells: readonly string[];
  /** As they are after; a cell that stays is left out with null. */
  readonly after: readonly (string | null)[];
  readonly kept?: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'step by step, the right side with the older name, comments and layout as they are',
    name: 'df',
    cells: [
      'df = load()',
      'df.head()',
      "df  =  df.dropna( )  # df\nprint('df', df)",
      'df.x',
      'df = df[df.a > 1]',
      'df',
    ],
    after: [null, null, "df_2  =  df.dropna( )  # df\nprint('df', df_2)", 'df_2.x', 'df_3 = df_2[df_2.a > 1]', 'df_3'],
  },
  {
    what: 'several at once, and those that stand in patterns',
    name: 'ax',
    cells: ['fig, ax = plots()', 'fig, ax = plots()\nax.plot(x, ax=ax)', 'fig, (ax, *more) = plots()\nax'],
    after: [null, 'fig, ax_2 = plots()\nax_2.plot(x, ax=ax_2)', 'fig, (ax_3, *more) = plots()\nax_3'],
  },
  {
    what: 'changes in place and augmented assignments count as the same name',
    name: 'x',
    cells: ['x = []', 'x = [1]', 'x[0] = 2\nx.append(x)', 'x += [3]', 'del x[0]', 'del x'],
    after: [null, 'x_2 = [1]', 'x_2[0] = 2\nx_2.append(x_2)', 'x_2 += [3]', 'del x_2[0]', 'del x_2'],
  },
  {
    what: 'parameters, locals, attributes, keywords and targets of comprehensions are others',
    name: 'x',
    cells: [
      'x = 1',
      'x = 2',
      'def f(x, *, y=x): return x + y\nf(x=x).x\nprint([x for x in range(x)], {x: 1 for i in x}, lambda x: x)',
      'def g():\n    x = 5\n    return [x for _ in a]\nclass A:\n    x = 3\n    y = A.x',
    ],
    after: [
      null,
      'x_2 = 2',
      'def f(x, *, y=x_2): return x + y\nf(x=x_2).x\nprint([x for x in range(x_2)], {x_2: 1 for i in x_2}, lambda x: x)',
      null,
    ],
  },
  {
    what: 'expressions in f-strings, queries and lines of IPython',
    name: 'x',
    cells: [
      'x = 1',
      'x = 2',
      'f"x {x} {x!r:>{x}}"',
      "df.query('a > @x and x > 1')",
      '%timeit f(x)',
      '!echo {x} x $x',
      '%%time\nx',
    ],
    after: [
      null,
      'x_2 = 2',
      'f"x {x_2} {x_2!r:>{x_2}}"',
      "df.query('a > @x_2 and x > 1')",
      '%timeit f(x_2)',
      '!echo {x_2} x $x_2',
      '%%time\nx_2',
    ],
  },
  {
    what: 'functions with what they read and bind by `global`, while they are called on one side alone',
    name: 'n',
    cells: ['n = 1', 'n = 2\ndef f():\n    global n\n    n += 1\n    return n', 'f()', 'n = 3', 'print(n)'],
    after: [null, 'n_2 = 2\ndef f():\n    global n_2\n    n_2 += 1\n    return n_2', null, 'n_3 = 3', 'print(n_3)'],
  },
  {
    what: 'a function that is called on both sides keeps the name for both',
    name: 'n',
    cells: ['n = 1\ndef f(): return n', 'n = 2', 'f()', 'n = 3', 'n'],
    after: [null, null, null, 'n_2 = 3', 'n_2'],
    kept: ['1: `f` of cell 1 reads it when it is called'],
  },
  {
    what: 'a line that only hands a change on is no definition',
    name: 'words',
    cells: [
      'words = []',
      'words = words  # svc import: changed here, and handed on\nwords.append(1)',
      'words = words',
      'words = [2]',
    ],
    after: [null, null, null, 'words_2 = [2]'],
  },
  {
    what: 'what is only sometimes given anew is the same name',
    name: 'x',
    cells: [
      'x = 1',
      'if c:\n    x = 2',
      'x',
      'for i in y:\n    x = i',
      'if c:\n    x = 2\nelse:\n    x = x + 3\nx',
      'x',
    ],
    after: [null, null, null, null, 'if c:\n    x_2 = 2\nelse:\n    x_2 = x + 3\nx_2', 'x_2'],
  },
  {
    what: 'a definition in a loop that certainly runs, a with, a try',
    name: 'x',
    cells: [
      'x = 1',
      'for i in range(3):\n    x = i\n    print(x)',
      'with open(x) as x:\n    x.read()',
      'try:\n    x = f(x)\nexcept E:\n    x = 0',
      'x',
    ],
    after: [
      null,
      'for i in range(3):\n    x_2 = i\n    print(x_2)',
      'with open(x_2) as x_3:\n    x_3.read()',
      'try:\n    x_4 = f(x_3)\nexcept E:\n    x_4 = 0',
      'x_4',
    ],
  },
  {
    what: 'imports of the name take it over; words that are taken are left out',
    name: 'e',
    cells: ['e = 1', 'e_2 = 0', 'e = 2', 'from math import e', 'e'],
    after: [null, null, 'e_3 = 2', 'from math import e as e_3', 'e_3'],
  },
  {
    what: 'text that shows or reaches the name keeps it',
    name: 'x',
    cells: ['x = 1', 'x = 2', 'print(f"{x=}")', 'x = 3', 'x', 'globals()["x"]', 'x = 4', 'x'],
    after: [null, null, null, null, null, null, 'x_2 = 4', 'x_2'],
    kept: [
      '1: in cell 3 the text of an f-string shows the name (`{x=}`)',
      '3: in cell 6 globals() reaches names by their text',
    ],
  },
];

describe('a name that is made explicit', () => {
  for (const { what, name, cells, after, kept = [] } of cases)
    it(what, async () => {
      await using engine = observedEngine(analysisCommand);
      const plan = await explicitNames(engine).plan(name, cellsOf(cells));
      const changed = new Map(plan.cells.map(({ cell, source }) => [cell, source]));
      assert.deepEqual(
        [
          cells.map((_, place) => changed.get(place) ?? null),
          plan.kept.map(({ cell, reason }) => `${cell}: ${reason}`),
        ],
        [after, kept],
      );
    });

  it('is told to cells of other languages by what they read and define', async () => {
    await using engine = observedEngine(analysisCommand);
    const other = (reads: string[], defines: string[]): NamedCell => ({ language: 'sql', source: '', reads, defines });
    const cells = [...cellsOf(['t = 1']), other(['t'], ['t']), other(['t'], ['u']), ...cellsOf(['t = t + 1', 't'])];
    assert.deepEqual(await explicitNames(engine).plan('t', cells), {
      steps: [
        { cell: 1, name: 't_2' },
        { cell: 3, name: 't_3' },
      ],
      kept: [],
      cells: [
        { cell: 1, source: null, reads: 't', defines: 't_2' },
        { cell: 2, source: null, reads: 't_2', defines: null },
        { cell: 3, source: 't_3 = t_2 + 1', reads: null, defines: null },
        { cell: 4, source: 't_3', reads: null, defines: null },
      ],
    });
  });

  it('leaves random notebooks printing what they printed', (t) => {
    t.diagnostic(`seed ${seed}`);
    const program = `${pythonFolder}svc_engine/tests/explicit_random.py`;
    const { stdout, stderr } = spawnSync(python, ['-W', 'ignore', program, String(seed), '250'], { encoding: 'utf8' });
    const told = z.object({ steps: z.int(), left: z.int(), count: z.int(), wrong: z.array(z.unknown()) });
    const { steps, left, wrong } = told.parse(JSON.parse(stdout || JSON.stringify({ stderr })));
    t.diagnostic(`${steps} steps were made, ${left} left out`);
    assert.deepEqual(wrong, []);
    assert.ok(steps > 300, `${steps} steps`);
  });
});

describe('names that several cells write', () => {
  it('are listed with whose value each cell reads; modules and changes in place are not', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import numpy as np\ndf = 1',
      'import numpy as np\ndf["a"] = 2',
      'df = df + 1',
      'print(df)',
      'x = 1',
    ];
    assert.deepEqual(await explicitNames(engine).ambiguous(cellsOf(sources)), [
      {
        name: 'df',
        cells: [
          { cell: 0, defines: true, reads: null },
          { cell: 1, defines: false, reads: 0 },
          { cell: 2, defines: true, reads: 1 },
          { cell: 3, defines: false, reads: 2 },
        ],
      },
    ]);
  });
});
