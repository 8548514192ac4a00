import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type AnalysisOptions, createAnalysis } from './analysis.ts';
import { analysisCommand, misbehavingCommand, observedEngine } from './testing.ts';

const engine = observedEngine({ name: 'analysis', ...analysisCommand });
const analysis = createAnalysis(engine);
after(() => engine.close());

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

async function namesOf(source: string): Promise<string[][]> {
  const found = await analysis.analyse(source);
  assert.equal(found.error, null, source);
  return [found.defines, found.references, found.mutationDefines, found.builtinReferences];
}

// source, defines, references, mutation defines, builtin references
const rows: [string, string, string, string, string][] = [
  ['x = y + 1', 'x', 'y', '', ''],
  ['x = x + 1', 'x', 'x', '', ''],
  ['x += 1', 'x', 'x', '', ''],
  ['x = 0\nx += 1', 'x', '', '', ''],
  ['print(x)\nx = 5', 'x', 'x', '', 'print'],
  ['x = 5\nprint(x)', 'x', '', '', 'print'],
  ['if c:\n x = 1\nprint(x)', 'x', 'c', '', 'print'],
  ['(a, b) = (b, a)', 'a b', 'a b', '', ''],
  ['a, (b, *c) = f(z)', 'a b c', 'f z', '', ''],
  ['a = b = c', 'a b', 'c', '', ''],
  ['x = y = y + 1', 'x y', 'y', '', ''],
  ["df['a'] = 1", 'df', 'df', 'df', ''],
  ["df = load()\ndf['a'] = 1", 'df', 'load', '', ''],
  ['df = df.dropna()', 'df', 'df', '', ''],
  ['df[mask] = 0', 'df', 'df mask', 'df', ''],
  ["df.loc[m, 'c'] = 0\nout = df", 'df out', 'df m', 'df', ''],
  ['arr[i] += 1', 'arr', 'arr i', 'arr', ''],
  ['obj.attr.sub = v', 'obj', 'obj v', 'obj', ''],
  ['f(x).y = v', '', 'f v x', '', ''],
  ['x.y: int = 3', 'x', 'x', 'x', 'int'],
  ["df.drop('a', inplace=True)", 'df', 'df', 'df', ''],
  ["df.a[0].drop('a', inplace=True)", 'df', 'df', 'df', ''],
  ["df.drop('a', inplace=flag)", '', 'df flag', '', ''],
  ['xs.append(1)', '', 'xs', '', ''],
  ['x += 1\nx[0] = 2', 'x', 'x', 'x', ''],
  ['import os.path', 'os', '', '', ''],
  ['import os.path as p', 'p', '', '', ''],
  ['from m import a as b, c', 'b c', '', '', ''],
  ['from m import *', '', '', '', ''],
  ['x: T = y', 'x', 'T y', '', ''],
  ['x: T', 'x', 'T', '', ''],
  ["x: 'Fwd' = 1", 'x', '', '', ''],
  ['from __future__ import annotations\nx: T = 1', 'x', '', '', ''],
  ['from __future__ import annotations\ndef f(a: T) -> R: x: U = a', 'f', '', '', ''],
  ['def f(a, b=d) -> R: return a + g + len(a)', 'f', 'R d g', '', 'len'],
  ['def f(): return f', 'f', '', '', ''],
  ['def f(x=x): pass', 'f', 'x', '', ''],
  ['def f():\n global G\n G = 1', 'G f', '', '', ''],
  ['def f():\n global G\n G += k', 'G f', 'k', '', ''],
  ['def f():\n global G\n G = G + k', 'G f', 'G k', 'G', ''],
  ['def f():\n global G\n G = [G + i for i in k]', 'G f', 'G k', 'G', ''],
  ['def f():\n global np\n import numpy as np', 'f np', '', '', ''],
  ['class C(Base, metaclass=M):\n y = z\n def m(self): return w', 'C', 'Base M w z', '', ''],
  ['class A:\n z = z', 'A', 'z', '', ''],
  ['class A:\n z = 1\n y = z', 'A', '', '', ''],
  ['class A:\n x = 1\n y = [x for _ in z]', 'A', 'x z', '', ''],
  ['class A:\n class B:\n  z = z', 'A', 'z', '', ''],
  ['class A:\n y = z\nz = 1', 'A z', 'z', '', ''],
  ['def f():\n class A:\n  z = z', 'f', 'z', '', ''],
  ['@dec\ndef f(): pass', 'f', 'dec', '', ''],
  ['def outer():\n n = 0\n def inner():\n  nonlocal n\n  n += h', 'outer', 'h', '', ''],
  ['for i in items:\n s = i', 'i s', 'items', '', ''],
  ['for i in i: pass', 'i', 'i', '', ''],
  ['async for i in g: pass', 'i', 'g', '', ''],
  ['async with a as b: c = b', 'b c', 'a', '', ''],
  ['for d[k] in z: pass', 'd', 'd k z', 'd', ''],
  ['with open(p) as fh:\n t = fh.read()', 'fh t', 'p', '', 'open'],
  ['with a as b, c as d[0]: pass', 'b d', 'a c d', 'd', ''],
  ['try: a=1\nexcept E as e: b=e\nfinally: c=2', 'a b c e', 'E', '', ''],
  ['try: import foo\nexcept ImportError: foo = None', 'foo', '', '', 'ImportError'],
  ['while a: b = c\nelse: d = e', 'b d', 'a c e', '', ''],
  ['[i*k for i in xs if i > t]', '', 'k t xs', '', ''],
  ['[x for x in x]', '', 'x', '', ''],
  ['[a for b in c for a in b.d]', '', 'c', '', ''],
  ['{k: v for k, v in d.items() if f(k)}', '', 'd f', '', ''],
  ['[0 for d[k] in xs]', 'd', 'd k xs', 'd', ''],
  ['[y := f(i) for i in xs]\ny', 'y', 'f xs', '', ''],
  ['if (n := len(xs)) > 3: m = n', 'm n', 'xs', '', 'len'],
  ['lambda p, q=dft: p + r', '', 'dft r', '', ''],
  ['lambda *a, k, **kw: (a, k, kw, (w := 1), w)', '', '', '', ''],
  ['x = lambda: zz', 'x', 'zz', '', ''],
  ["f'{name!r:>{width}} {obj.attr}'", '', 'name obj width', '', ''],
  [
    "match cmd:\n case [first, *rest] if g: z = 1\n case {'k': v, **kw}: pass\n case Point(x=px) as pt: pass\n" +
      ' case CONST.A | None: pass\n case other: pass',
    'first kw other pt px rest v z',
    'CONST Point cmd g',
    '',
    '',
  ],
  ['del d[k], o.a', '', 'd k o', '', ''],
  ['x = 1\ndel x', 'x', '', '', ''],
  ['_private = 1\nz = _hidden', 'z', '', '', ''],
  ['_ = compute()', '', '', '', ''],
  ['x, *_ = y', 'x', 'y', '', ''],
  ['_, a = b', 'a', 'b', '', ''],
  ['input = 3', 'input', '', '', ''],
  ['input(help)\ninput = 3', 'input', '', '', 'help input'],
  ['await thing()', '', 'thing', '', ''],
  ['global x\nx = 1', 'x', '', '', ''],
  ["exec('q=1')", '', '', '', 'exec'],
  ['x = 1\ndef f(): return x\nx += 1', 'f x', '', '', ''],
  ['display(df)', '', 'df display', '', ''],
  ['', '', '', '', ''],
  ['# only a comment\n', '', '', '', ''],
  ['größe = ñ', 'größe', 'ñ', '', ''],
];

for (const [source, ...expected] of rows) {
  test(`names of ${JSON.stringify(source)}`, async () => {
    assert.deepEqual(await namesOf(source), expected.map(words));
  });
}

describe('grammar of newer Pythons, where the interpreter has it', () => {
  const newer: [string, string, string, string, string][] = [
    ['try: a=1\nexcept* E as e: b=e', 'a b e', 'E', '', ''],
    ['type A[T] = list[T] | B', 'A', 'B', '', 'list'],
    ['def f[T: Bound](a: T, b: U) -> list[T]: return a', 'f', 'Bound U', '', 'list'],
    ['class A[T](Base[T]):\n x: T', 'A', 'Base', '', ''],
    ["f'{d['k']}'", '', 'd', '', ''],
    ["t'{name} {obj.attr}'", '', 'name obj', '', ''],
  ];
  for (const [source, ...expected] of newer) {
    test(`names of ${JSON.stringify(source)}`, async (context) => {
      const found = await analysis.analyse(source);
      if (found.error !== null) return context.skip(found.error.message);
      assert.deepEqual(await namesOf(source), expected.map(words));
    });
  }
});

describe('names that are modules', () => {
  for (const [source, modules] of [
    ['import matplotlib.pyplot as plt, os.path', 'os plt'],
    ['from matplotlib import pyplot as plt\nfrom plotly import io', 'io plt'],
    ['from settings import options', ''],
    ['import numpy as np\nnp = wrapped(np)', ''],
    ['np = None\nimport numpy as np', 'np'],
    ['try:\n import cupy as np\nexcept ImportError:\n import numpy as np', 'np'],
    ["plt.rcParams['figure.dpi'] = 100", ''],
    ['import _private', ''],
  ] as const)
    test(`in ${JSON.stringify(source)}`, async () =>
      assert.deepEqual((await analysis.analyse(source)).modules, words(modules)));
});

describe('sources that do not parse', () => {
  const nothing = {
    defines: [],
    references: [],
    mutationDefines: [],
    modules: [],
    builtinReferences: [],
    discardedReads: [],
    handedReads: [],
    module: null,
  };
  for (const [source, message, line, column] of [
    ['x = [', /^Syntax error: '\[' was never closed$/, 1, 5],
    ['a = 1\n%magic', /^%magic does not work here: /, 2, 1],
    ['é = 1; !ls', /^Syntax error: /, 1, 8],
    ['def f(a, a): pass', /^Syntax error: duplicate argument 'a'/, 1, undefined],
    ['x = "\0"', /^Syntax error: .*null bytes$/, undefined, undefined],
    ['x = "\ud800"', /^Syntax error: .*surrogates not allowed$/, null, null],
    [`x = ${'('.repeat(5_000)}`, /^Syntax error: too many nested parentheses$/, 1, undefined],
    [`x = ${'-'.repeat(100_000)}1`, /^Syntax error: the source is nested too deeply$/, null, null],
    [`x = ${'a+'.repeat(200_000)}1`, /^Syntax error: the source is nested too deeply$/, null, null],
    [`x = a${'.b'.repeat(300_000)}`, /^Syntax error: the source is nested too deeply$/, null, null],
    [`${'lambda:'.repeat(5_000)}1`, /^Syntax error: the source is nested too deeply$/, null, null],
    [`if a: pass\n${'elif a: pass\n'.repeat(20_000)}`, /^Syntax error: the source is nested too deeply$/, null, null],
  ] as const) {
    test(`${JSON.stringify(source.slice(0, 20))} of ${source.length} characters is answered with its error`, async () => {
      await engine.warm();
      const { pid } = engine;
      const { error, sourceDigest, ...rest } = await analysis.analyse(source);
      assert.deepEqual(rest, nothing);
      assert.match(sourceDigest, /^[0-9a-f]{64}$/);
      assert.match(error?.message ?? '', message);
      if (line !== undefined) assert.equal(error?.line, line);
      if (column !== undefined) assert.equal(error?.column, column);
      assert.equal(engine.pid, pid);
    });
  }
});

test('what is read only to be thrown away is needed, and is no reference', async () => {
  const source =
    'import seaborn as sns\n_ = sns.lineplot(frame, hue=_secret)\nrows = 1\n_ = print(rows, late)\nlate = 2';
  const { references, builtinReferences, discardedReads } = await analysis.analyse(source);
  assert.deepEqual(
    { references, builtinReferences, discardedReads },
    { references: [], builtinReferences: [], discardedReads: ['frame', 'late', 'print'] },
  );
});

test('what is only called is given to nobody', async () => {
  const { handedReads } = await analysis.analyse('solver = Solver(step, rate)\nsolver.run()\nshow(solver)');
  assert.deepEqual(handedReads, ['rate', 'solver', 'step']);
});

describe('data frames that are named in SQL', () => {
  for (const [source, tables] of [
    ['duckdb.sql("select k, sum(v) from sales group by k")', 'sales'],
    ['duckdb.sql("FROM sales SELECT k WHERE v > 1")', 'sales'],
    ['best = con.execute(f"select * from {table} join u using (k), w as x, y").df()', 'u'],
    [
      'con.sql("with a as (select * from b), c(n) as (select 1) select * from a, c, d join \\"e\\" using (k)")',
      'b d e',
    ],
    [
      'con.query("select * from \'a.csv\', main.t, range(10), (select * from inside) where k in (select k from g)")',
      'g inside',
    ],
    ['con.sql("select * from main.t as m, range(10) r, h, i order by j")', 'h i'],
    ['con.execute("create table t as select * from frame")', 'frame'],
    ['sales = duckdb.sql("from sales where v > 1")', 'sales'],
    ['rows = 1\nduckdb.sql("from rows")', ''],
    ['_ = duckdb.sql("from sales")', 'duckdb sales'],
    ['df.query("from == 1 and b > 2")', ''],
    ['print("select * from sales")', ''],
  ] as const)
    test(`in ${JSON.stringify(source)}`, async () => {
      const { discardedReads, error } = await analysis.analyse(source);
      assert.deepEqual({ discardedReads, error }, { discardedReads: words(tables), error: null });
    });
});

test('no text that is given to a database takes long to read', { timeout: 60_000 }, async () => {
  const texts = [
    `${'-'.repeat(200)}\nupdate t set a = 1`,
    `insert into t values ('${'a1'.repeat(20_000)}')`,
    `select * from a(${'x'.repeat(20_000)}`,
    `select * ${'from a, '.repeat(2000)}`,
  ];
  const source = texts.map((text) => `con.execute(${JSON.stringify(text)})`).join('\n');
  const { discardedReads, error } = await analysis.analyse(source);
  assert.deepEqual({ discardedReads, error }, { discardedReads: ['a', 'from'], error: null });
});

test('long sources and long chains are analysed, not refused', async () => {
  const lines = Array.from({ length: 5_000 }, (_, n) => `variable_${n + 1} = variable_${n} + call(${n}, 'some text')`);
  const long = await analysis.analyse(lines.join('\n'));
  assert.equal(long.defines.length, 5_000);
  assert.deepEqual(long.references, ['call', 'variable_0']);
  assert.deepEqual(await namesOf(`x = ${'a + '.repeat(500)}b`), [['x'], ['a', 'b'], [], []]);
  assert.deepEqual(await namesOf(`x = 0x${'f'.repeat(10_000)}`), [['x'], [], [], []]);
});

describe('the digest of a source', () => {
  for (const [what, same] of [
    [
      'comments, layout and quotes',
      ["x = f('a', 1)", '# note\n\nx=f( "a",1 ) # why\n\n', 'x = f("""a""",\n  1)', "x = (f(u'a', 1))"],
    ],
    ['the spelling of numbers', ['n = 1000', 'n = 1_000', 'n = 0x3e8']],
    ['line ends', ['if a:\n  b', 'if a:\r\n\tb\r\n']],
    ['blanks around what does not parse', ['select 1', '  select 1  \n\n', '\nselect 1']],
  ] as const) {
    test(`does not depend on ${what}`, async () => {
      const found = await analysis.analyseMany(same);
      assert.equal(new Set(found.map((one) => one.sourceDigest)).size, 1);
    });
  }

  test('differs when the meaning does', async () => {
    // biome-ignore format: sources read better in rows than one to a line
    const different = [
      '', 'x', 'x = 1', 'x = 1.0', 'x = True', "x = '1'", "x = b'1'", 'x = None', 'x = -1', 'x = y', 'x += y', 'x: y',
      'x == y', 'x = (1, 2)', 'x = [1, 2]', 'x = [[1], 2]', 'x = [1, [2]]', 'f(x)', 'f(*x)', 'f(**x)',
      'f(x=x)', '{**x}', '{x: x}', '{x}', 'import x', 'import x as y', 'from x import y', 'from . import y',
      'from .x import y', 'from ..x import y', 'def f(): x', 'async def f(): x', 'def f():\n x\nx', 'def f():\n x\n x',
      'class f: x', 'lambda: x', "f'{x}'", "f'{x!r}'", "f'{x:1}'", '(x): y', 'def f(a, b=1): x', 'def f(a, *, b=1): x',
      'def f(a, /, b=1): x', 'def f(*, a=1, b): x', 'def f(*, a, b=1): x', 'global x', 'global x, y', "'doc'",
      'x = [', 'x = [1', '[x for x in y]', '[x async for x in y]', '(x for x in y)', 'x < y', 'x < y < z',
      'if x: y', 'if x: y\nelse: z', 'while x: y', 'match x:\n case None: y', 'match x:\n case True: y', 'del x',
    ];
    const found = await analysis.analyseMany(different);
    const byDigest = Map.groupBy(different, (_, place) => found[place]?.sourceDigest);
    assert.deepEqual(
      [...byDigest.values()].filter((sources) => sources.length > 1),
      [],
    );
  });
});

describe('what is asked of the process', () => {
  test('two thousand sources cost one round trip, and none the second time', async () => {
    await using counted = observedEngine({ name: 'analysis', ...analysisCommand });
    let requests = 0;
    const counting = createAnalysis({
      ...counted,
      request: (op, params, options) => {
        requests += 1;
        return counted.request(op, params, options);
      },
    });
    const sources = Array.from({ length: 2_000 }, (_, n) => `x${n} = x${n - 1}`);
    const first = await counting.analyseMany(sources);
    assert.deepEqual(first[1999]?.references, ['x1998']);
    assert.deepEqual(await counting.analyseMany([...sources, 'x0 = x-1']), [...first, first[0]]);
    assert.deepEqual((await counting.analyse('x5 = x4')).defines, ['x5']);
    assert.equal(requests, 1);
  });

  /** Analyses one after the other, and tells which the process was asked for. */
  async function askedFor(options: AnalysisOptions, sources: readonly string[]): Promise<unknown[]> {
    const asked: unknown[] = [];
    const request: typeof engine.request = (op, params, more) => {
      asked.push(params);
      return engine.request(op, params, more);
    };
    const forgetful = createAnalysis({ ...engine, request }, options);
    for (const source of sources) await forgetful.analyse(source);
    return asked;
  }

  test('what was used longest ago is forgotten', async () => {
    assert.deepEqual(
      await askedFor({ remembered: 2 }, ['a', 'b', 'a', 'c', 'a', 'b']),
      [['a'], ['b'], ['c'], ['b']].map((sources) => ({ sources })),
    );
  });

  test('a long cell that is edited all day is not remembered in every form', async () => {
    const long = 'x = 1 # a comment';
    assert.deepEqual(
      await askedFor({ rememberedCharacters: 18 }, ['a', 'b', 'a', long, 'a', 'b', long, 'a']),
      [['a'], ['b'], [long], ['b'], [long], ['a']].map((sources) => ({ sources })),
    );
  });

  test('a source that takes the process down is answered as data, and the others as ever', async () => {
    await using fragile = observedEngine({ ...misbehavingCommand });
    const found = await createAnalysis(fragile).analyseMany(['a', 'b', 'os._exit(1)', 'c', 'd']);
    assert.deepEqual(
      found.map((one) => one.references),
      [['a'], ['b'], [], ['c'], ['d']],
    );
    assert.match(
      found[2]?.error?.message ?? '',
      /^Analysis failed: .*died during analyse_many: it exited with status 1/,
    );
  });
});
