// Notebooks of other programs: whatever a notebook is made of, its cells come out as Python that parses, none is lost, and
// what is no notebook is refused. The seed is printed; SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRandom, type RandomSource } from '../../tests/kit/random.ts';
import { EngineRefused } from './errors.ts';
import { foreignNotebooks } from './foreign.ts';
import type { Json } from './frames.ts';
import { analysisCommand, observedEngine, python } from './testing.ts';

const fragments: readonly [string, ...string[]] = [
  'x = 1',
  'x = []',
  'x.append(1)',
  'for _ in x:\n    x.pop()',
  'print("a % b ! c")',
  's = """\n%not a magic\n!nor a command\n"""',
  'def f(a,\n      b):\n    return a',
  'if x:\n    !ls -l\n',
  'for i in range(3):\n    %time i + 1\n',
  '%matplotlib inline',
  '%timeit -n 10 sum([1, 2])',
  '%pip install requests==2.0 -q',
  '!pip install --upgrade "numpy>=1"',
  'files = !ls',
  'x.real?',
  '!echo a \\\n  b',
  'x = _',
  '%env KEY=value',
  '%unknown_magic with words',
  '%run other.py',
  'y = [\n    1,\n    2]  # %comment',
  'x;',
  'x + 1; # shown not',
  'import os, sklearn.linear_model as lm',
  'text = "ünï 日本 \u2028"',
  'z = x \\\n    + 1',
];
const wholeCells: readonly [string, ...string[]] = [
  '%%time\nx = 1\n%time x',
  '%%bash\necho hi',
  '%%writefile a.txt\nhello "quoted" """',
  '%%html\n<b>',
  '',
];

function randomNotebook({ next, pick, below }: RandomSource): {
  readonly cells: { cell_type: string; source: string | string[] }[];
} {
  const text = (): string =>
    next() < 0.2 ? pick(wholeCells) : Array.from({ length: 1 + below(4) }, () => pick(fragments)).join('\n');
  const cells = Array.from({ length: below(8) }, () => {
    const source = text();
    const written = next() < 0.5 ? source : source.split(/(?<=\n)/);
    return { cell_type: pick(['code', 'code', 'code', 'markdown', 'raw']), source: written };
  });
  return { cells };
}

/** The sources that are neither Python nor IPython's, with what the compiler says. */
function unparsable(sources: readonly string[]): unknown {
  const program = `import ast, json, sys
from svc_runtime.ipython_syntax import translate
bad = []
for source in json.load(sys.stdin):
    try: ast.parse(translate(source))
    except SyntaxError as error: bad.append([source, str(error)])
print(json.dumps(bad))`;
  const { stdout } = spawnSync(python, ['-c', program], {
    input: JSON.stringify(sources),
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../../python', import.meta.url)),
  });
  return JSON.parse(stdout);
}

describe('a Jupyter notebook', () => {
  it('of random cells comes out whole, as code that can be read', async (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    await using engine = observedEngine(analysisCommand);
    const foreign = foreignNotebooks(engine);
    const sources: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      const { cells } = randomNotebook(random);
      const converted = await foreign.jupyter({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
      const count = (type: string): number => cells.filter(({ cell_type }) => cell_type === type).length;
      const { report } = converted;
      assert.deepEqual(
        [report.code_cells, report.markdown_cells, report.skipped_cells.length, converted.cells.length],
        [count('code'), count('markdown'), count('raw'), count('code') + count('markdown')],
        JSON.stringify(cells),
      );
      sources.push(...converted.cells.filter(({ language }) => language === 'python').map(({ source }) => source));
    }
    assert.deepEqual(unparsable(sources), []);
  });

  it('tells which files beside it its cells name, and which they read that are not there', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import pandas as pd, helpers\nDATA = Path("data")\ntrain = pd.read_csv(DATA / "train.csv")',
      'years = [pd.read_csv(f"data/{year}.csv") for year in (2001, 2002)]\nfor name in glob("pictures/*.png"): show(name)',
      '!head -3 prices.csv\nwords = open("./notes.txt").read()\ntrain["column"]',
      'train.to_csv("out.csv")\npd.read_csv("out.csv"), pd.read_csv("nowhere.csv"), pd.read_csv("https://host.test/x.csv")',
      'with open("log.txt", "w") as log: ...\nprint(open("log.txt").read(), pd.read_csv("../outside.csv"))',
      '%%writefile made.py\nx = 1',
      'for root, _, names in os.walk(os.path.join(DATA, "raw")): ...\nloaded = np.load(where + ".npy")',
    ];
    const beside = [
      ...['column', 'data/2001.csv', 'data/old/2001.csv', 'data/raw/a.bin', 'data/raw/deep/b.bin', 'data/train.csv'],
      ...[
        'helpers.py',
        'made.py',
        'notes.txt',
        'pictures/a.png',
        'pictures/b.jpg',
        'prices.csv',
        'unused.csv',
        'w.npy',
      ],
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { files, packages } = await foreignNotebooks(engine).jupyter(
      { nbformat: 4, cells },
      beside.map((path) => ({ path })),
    );
    assert.deepEqual(packages, ['pandas']);
    assert.deepEqual(
      files.map((file) => [file.path, file.cells, file.is_beside]),
      [
        ['data/2001.csv', [1], true],
        ['data/raw/a.bin', [6], true],
        ['data/raw/deep/b.bin', [6], true],
        ['data/train.csv', [0, 1], true],
        ['helpers.py', [0], true],
        ['made.py', [5], true],
        ['notes.txt', [2], true],
        ['pictures/a.png', [1], true],
        ['prices.csv', [2], true],
        ['w.npy', [6], true],
        ['../outside.csv', [4], false],
        ['nowhere.csv', [3], false],
      ],
    );
  });

  it('follows modules that lie beside it: what they import, and what they read', async () => {
    await using engine = observedEngine(analysisCommand);
    const cells = ['import helpers', 'from shapes import Rect'].map((source) => ({ ...code, source }));
    const beside = [
      { path: 'helpers.py', text: 'import requests\nimport util\nlimits = open("limits.txt").read()' },
      { path: 'util.py', text: 'import helpers\nimport yaml' },
      { path: 'limits.txt' },
      { path: 'shapes/__init__.py', text: 'from .rect import Rect' },
      { path: 'shapes/rect.py', text: 'import numpy' },
      { path: 'other.py', text: 'import scipy' },
    ];
    const { files, packages } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells }, beside);
    assert.deepEqual(packages, ['requests', 'PyYAML', 'numpy']);
    assert.deepEqual(
      files.map((file) => [file.path, file.cells]),
      [
        ['helpers.py', [0]],
        ['limits.txt', [0]],
        ['shapes/__init__.py', [1]],
        ['shapes/rect.py', [1]],
        ['util.py', [0]],
      ],
    );
  });

  it('has cells that load pickles name the classes above them', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import pickle\nfrom joblib import load as load_model',
      'class Point: pass\nclass Line: pass',
      'saved = pickle.load(open("p.pkl", "rb"))',
      'model = load_model("m.joblib")\nisinstance(model, Line)',
      'import json\njson.loads("1")',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const mark = '# svc import: what is loaded here may be of these';
    assert.deepEqual(
      found.slice(2).map(({ source }) => source.split('\n').filter((line) => line.includes(mark))),
      [[`Point, Line  ${mark}`], [`Point,  ${mark}`], []],
    );
  });

  it('has cells that run a script say what of it the cells below read', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      '%%writefile tools.py\nimport sys\nrate = 3\ndef scale(x):\n    return x * rate\nunused = 1',
      '%run ./tools.py 1 2\nprint("done")',
      '%run -i beside',
      '%run missing.py',
      'scale(2) + rate + offset',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const beside = [{ path: 'beside.py', text: 'offset = 7' }];
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells }, beside);
    const mark = '# svc import: made by the script';
    assert.deepEqual(
      found.slice(1).map(({ source }) => source.trimEnd()),
      [
        `%run ./tools.py 1 2\nrate, scale = rate, scale  ${mark}\nprint("done")`,
        `%run -i beside\noffset = offset  ${mark}`,
        '%run missing.py',
        'scale(2) + rate + offset',
      ],
    );
  });

  it('has cells that run tests or examples name those above them', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import unittest, doctest\nfrom unittest import main, TestCase',
      'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\ndef plain(): ...',
      'class TestAdd(TestCase):\n    def test(self):\n        assert add(1, 1) == 2',
      'class Other: ...\nclass TestMore(unittest.TestCase): ...',
      "unittest.main(argv=[''], exit=False)",
      "main(argv=['', 'TestMore'], exit=False)",
      'doctest.testmod(verbose=True)',
      'def main(): ...\nmain()',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const tests = '# svc import: the tests that are run here';
    assert.deepEqual(
      found.slice(4, 7).map(({ source }) => source.split('\n')[0]),
      [
        `TestAdd, TestMore  ${tests}`,
        `TestAdd, TestMore  ${tests}`,
        'add,  # svc import: the examples that are tried here',
      ],
    );
  });

  it("has cells import names of Python's own that a * above gave another meaning", async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'from numpy import *\nfrom math import *',
      'sum(matrix) + pow(2, 3) + len(matrix)',
      'def largest(rows):\n    return max(rows)',
      'import builtins',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const mark = '# svc import: named by a * above';
    assert.deepEqual(
      found.slice(1).map(({ source }) => source.split('\n').filter((line) => line.includes(mark))),
      [
        [`from numpy import matrix, sum  ${mark}`, `from math import pow  ${mark}`],
        [`from numpy import max  ${mark}`],
        [],
      ],
    );
  });

  it('hands connections and their cursors on together, where a database is changed', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import sqlite3\ncon = sqlite3.connect(":memory:")\ncur = con.cursor()',
      'cur.execute("CREATE TABLE t (n)")',
      'con.execute("SELECT * FROM t").fetchall()',
      'df.to_sql("prices", con)',
      'def ask(text):\n    return con.execute(text).fetchall()',
      'rows = ask("DELETE FROM t")',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const handed = found.map(({ source }) => source.split('\n').filter((line) => line.includes('handed on')).length);
    assert.deepEqual(handed, [0, 1, 0, 1, 0, 1]);
    assert.equal(found[1]?.source.split('  #')[0], 'con, cur = con, cur');
  });

  it('hands on together what holds or works on one another', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import xml.etree.ElementTree as ET\ntree = ET.parse("a.xml")\nroot = tree.getroot()\npage = tree.find("page")',
      'first = root.find("b")\nsecond = root.find("c")',
      'first.text = "changed"',
      'image = Image.new("L", (9, 9))\npen = ImageDraw.Draw(image)',
      'pen.line((0, 0, 5, 5))',
      'class Account:\n    def deposit(self, n):\n        self.n += n\nclass Bank:\n    def add(self, account):\n        self.all.append(account)',
      'alice, bank, clients = Account(), Bank(), []\nalice = Account()\nbank = Bank()',
      'bank.add(alice)\nclients.append(alice)',
      'alice.deposit(5)',
      'scale, model = StandardScaler(), Ridge()\nscale = StandardScaler()\nmodel = Ridge()',
      'pipe = Pipeline([("scale", scale), ("model", model)])\nsearch = GridSearchCV(pipe, {})',
      'pipe.fit(X, y)',
      'make_pipeline(model).fit(X, y)',
      'para = document.add_paragraph("x")\npara.add_run("y").bold = True',
      'seen, told, sums = {}, {}, np.zeros(3)',
      'xgb.train(p, d, evals_result=seen)\nlgb.train(p, d, callbacks=[lgb.record_evaluation(told)])\nnp.add(1, 2, out=sums)',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const handed = found.map(({ source }) => {
      const lines = source.split('\n').filter((line) => line.includes('handed on'));
      return lines.map((line) => line.split(' = ')[0]).join('; ');
    });
    assert.deepEqual(handed, [
      '',
      'tree, root, page',
      'tree, root, page, first, second',
      '',
      'image, pen',
      '',
      '',
      'bank; clients; alice',
      'alice; bank; clients',
      '',
      '',
      'pipe; model; scale',
      'model; pipe; scale',
      '',
      '',
      'seen; told; sums',
    ]);
  });

  it('tells functions what was changed in place since they were defined', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'cart = []\nprices = {"pen": 1}',
      'def show():\n    print(cart, prices)\ndef shown_twice():\n    show(); show()',
      'show()',
      'cart.append("pen")\nshow()',
      'prices["pen"] = 2',
      'shown_twice()',
      'cart = []\nshow()',
      'def count():\n    global shown\n    shown = 1\n    show()',
      'count()',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    assert.deepEqual(
      found.map(({ source }) => /^.*__globals__.*$/m.exec(source)?.[0].split('  #')[0] ?? null),
      [
        null,
        null,
        null,
        'show.__globals__.update(cart=cart)',
        null,
        'show.__globals__.update(cart=cart, prices=prices)',
        'show.__globals__.update(prices=prices)',
        null,
        'show.__globals__.update(prices=prices)',
      ],
    );
  });

  it('hands on what a coroutine is sent, a defaultdict is asked for, a figure is drawn on, a class registers with, a view changes', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'from bokeh.plotting import figure\nfrom collections import defaultdict\nimport numpy as np\nfrom sqlalchemy.orm import declarative_base',
      'def averager():\n    while True:\n        yield\naverage = averager()\nplaces = defaultdict(list)\ngrid = np.zeros((2, 2))\nplot = figure()\nBase = declarative_base()',
      'average.send(10)',
      'plot.line([1], [2])',
      'class User(Base):\n    pass',
      'places["nowhere"]',
      'row = grid[0]\nrow += 1',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    assert.deepEqual(
      found.slice(2).map(({ source }) => source.split('  #')[0]),
      ['average = average', 'plot = plot', 'Base = Base', 'places = places', 'grid = grid'],
    );
  });

  it('hands on what methods of its classes change, of their object and around, whoever calls them', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import threading\nboard, log = {}, []',
      'class Player:\n    def __init__(self):\n        self.score = 0\n    def move(self, to):\n        self.score += 1\n        board[to] = self',
      'players = [Player(), Player()]\ndef play(player):\n    player.move(1)\ndef note():\n    log.append(1)',
      'first, second = players\nplay(second)',
      'max(players, key=id).move(2)',
      'threading.Thread(target=note).start()',
      'who = list(players)[0]\nwho.move(3)',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const handed = found.slice(3).map(({ source }) => {
      const lines = source.split('\n').filter((line) => line.includes('handed on'));
      return lines.map((line) => line.split(' ')[0]).sort();
    });
    assert.deepEqual(handed, [['board', 'players'], ['board', 'players'], ['log'], ['board', 'players']]);
  });

  it('takes versions from its metadata and from a block in a cell, and forces nothing that it does without', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      '# /// script\n# dependencies = [\n#   "pandas==2.1.0",\n#   "rich",\n# ]\n# ///',
      'try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np\nimport pandas, requests',
      'try:\n    import idna\nexcept ImportError:\n    raise SystemExit("install idna")\n%pip install requests rich>=13',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const metadata = { requirements: { packages: { requests: '==2.31.0', attrs: '*' } } };
    const { packages, optional } = await foreignNotebooks(engine).jupyter({ nbformat: 4, metadata, cells });
    assert.deepEqual(packages, ['requests==2.31.0', 'attrs', 'pandas==2.1.0', 'rich>=13', 'numpy', 'idna']);
    assert.deepEqual(optional, ['cupy']);
  });

  it('hands on what a cell changes that a cell above it made, and says so', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import numpy as np\nwords, frame = [], object()\nclass Walker: ...\nwalker = Walker()\nrng = np.random.default_rng(0)',
      '# @timeout 5\nwords.append(1)\nwords',
      'for _ in range(3):\n    walker.step()',
      'frame.head()',
      'np.random.seed(3)\nframe.to_csv("a.csv")\nsum(words)',
      'from __future__ import annotations\nsample = rng.normal()',
      'words = [1]\nwords.append(2)',
      'def later():\n    words.append(3)',
      'drawn = stats.norm.rvs(random_state=rng)',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const converted = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const note = '# svc import: changed here, and handed on';
    assert.deepEqual(
      converted.cells.map(({ source }) => source.trimEnd()),
      [
        sources[0],
        `# @timeout 5\nwords = words  ${note}\nwords.append(1)\nwords`,
        `walker = walker  ${note}\nfor _ in range(3):\n    walker.step()`,
        sources[3],
        sources[4],
        `from __future__ import annotations\nrng = rng  ${note}\nsample = rng.normal()`,
        sources[6],
        sources[7],
        `rng = rng  ${note}\n${sources[8]}`,
      ],
    );
    assert.deepEqual(converted.report.findings, [
      { cell: 1, line: 3, kind: 'translated', text: 'words = words' },
      { cell: 2, line: 2, kind: 'translated', text: 'walker = walker' },
      { cell: 5, line: 2, kind: 'translated', text: 'rng = rng' },
      { cell: 8, line: 1, kind: 'translated', text: 'rng = rng' },
    ]);
  });

  it('hands on what a last line changes whose value a semicolon throws away', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import emcee\nsampler, frame = emcee.EnsembleSampler(8, 2, f), 1',
      'sampler.run_mcmc(state, 100);',
      'sampler.run_mcmc(state, 100);  # a while',
      'sampler.run_mcmc(state, 100)',
      'frame.plot();',
      's = "ä"; frame.head();',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const handed = found.map(({ source }) => source.includes('handed on'));
    assert.deepEqual(handed, [false, true, true, false, false, false]);
  });

  it('hands on what changes through another name, a function, an iterator or a figure', async () => {
    await using engine = observedEngine(analysisCommand);
    const cases: readonly (readonly [above: string, cell: string, line: string | null])[] = [
      ['df = make()\nother = df', 'other["b"] = 9', 'df = other = df'],
      ['df = make()\nother = df', 'df.drop(columns="a", inplace=True)', 'df = other = df'],
      ['df = make()\nother = df\ndf = make()', 'other["b"] = 9', null],
      ['df = make()\nother = df.copy()', 'other["b"] = 9', null],
      ['df = make()\nboth = {"frame": df}', 'both["frame"]["b"] = 9', "df = both['frame'] = df"],
      ['df = make()\nboth = [df, 1]', 'both.append(3)', 'both = both'],
      ['def clean(frame, mark=1):\n    frame["d"] = mark', 'df = {}', null],
      ['def clean(frame, mark=1):\n    frame["d"] = mark\ndf = {}', 'clean(df)', 'df = df'],
      ['def clean(frame):\n    frame = frame.copy()\n    frame["d"] = 1\ndf = {}', 'clean(df)', null],
      ['def f(a):\n    a.append(1)\ndef g(*, b):\n    f(b)\nxs = []', 'n = g(b=xs)', 'xs = xs'],
      ['lines = iter("ab")', 'for line in lines: break', 'lines = lines'],
      ['lines = (c for c in "ab")', 'list(lines)', 'lines = lines'],
      [
        'def counter():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n    return step\nstep = counter()',
        'step()',
        'step = step',
      ],
      ['buffer = io.StringIO()', 'buffer.write("x")', 'buffer = buffer'],
      ['buffer = io.StringIO()', 'buffer.getvalue()', null],
      ['fig, ax = plt.subplots()', 'ax.plot([1])\nfig', 'fig, ax = ax.figure, ax'],
      ['fig, axes = plt.subplots(1, 2)', 'axes[0].plot([1])', 'fig, axes = axes.flat[0].figure, axes'],
      ['fig, (a, b) = plt.subplots(1, 2)', 'a.plot([1])', 'a = a'],
    ];
    const seen: (readonly [string, string, string | null])[] = [];
    for (const [above, cell] of cases) {
      const cells = [above, cell].map((source) => ({ ...code, source }));
      const { report } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
      seen.push([above, cell, report.findings[0]?.text ?? null]);
    }
    assert.deepEqual(seen, cases);
  });

  it('hands on what del, heapq and names given in the same cell change', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'df, grid, queue = table(), array(), []\ntables = [df]',
      'del df["old"]\ndf.columns',
      'other = df\nother["new"] = 1',
      'row = grid[0]\nrow[:] = 0',
      'for one in tables:\n    one["more"] = 2',
      'heapq.heappop(queue)',
      'shape = grid.shape\nshape',
    ];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    const handed = found.map(({ source }) => source.split('\n').filter((line) => line.includes('handed on')));
    assert.deepEqual(
      handed.map((lines) => lines.map((line) => line.split('  #')[0])),
      [
        [],
        ['df = tables[0] = df'],
        ['df = tables[0] = df'],
        ['grid = grid'],
        ['df = tables[0] = other = df'],
        ['queue = queue'],
        [],
      ],
    );
  });

  it('sets variables of %env in the cells below that name them too', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = ['%env MODE=test', 'import os\nos.environ["MODE"]', 'x = 1', '%env MODE=live\nMODE'];
    const cells = sources.map((source) => ({ ...code, source }));
    const { cells: found } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    assert.deepEqual(
      found.map(({ source }) => source),
      [
        '# @env MODE=test\n',
        '# @env MODE=test\nimport os\nos.environ["MODE"]\n',
        'x = 1\n',
        '# @env MODE=live\nMODE\n',
      ],
    );
  });

  it('is told which cells draw on a figure that a cell above began', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'fig, ax = plt.subplots()\nax.plot([1])',
      'x = 1',
      'ax.set_title("t")\nfig',
      'ax.plot([2])',
      'fig, ax = plt.subplots()',
      'ax.plot([3])',
    ];
    const { report } = await foreignNotebooks(engine).jupyter({
      nbformat: 4,
      cells: sources.map((source) => ({ ...code, source })),
    });
    assert.deepEqual(
      report.findings.filter(({ kind }) => kind === 'continued').map(({ cell, text, above }) => [cell, text, above]),
      [
        [2, 'fig', 0],
        [3, 'fig', 0],
        [5, 'fig', 4],
      ],
    );
  });

  it('calls names that begin with _ otherwise where other cells read them, and leaves all others', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      '_scale, _own, load = 3, 1, 2\ndef _area(r): return r * _scale',
      'class Round:\n    _own = 5\n    def area(self): return _area(self._own)',
      '_own = 2\ndef _load(): return _own',
      'Round().area(), _load()',
    ];
    const notebook = { nbformat: 4, cells: sources.map((source) => ({ ...code, source })) };
    const { cells, report } = await foreignNotebooks(engine).jupyter(notebook);
    assert.deepEqual(
      cells.map(({ source }) => source.trimEnd()),
      [
        '_scale, _own, load = 3, 1, 2\ndef area_(r): return r * _scale',
        'class Round:\n    _own = 5\n    def area(self): return area_(self._own)',
        '_own = 2\ndef load_(): return _own',
        'Round().area(), load_()',
      ],
    );
    assert.deepEqual(
      report.findings.filter(({ kind }) => kind === 'translated').map(({ cell, text }) => [cell, text]),
      [
        [0, '_area is area_'],
        [2, '_load is load_'],
      ],
    );
  });

  it('is told where it will differ from what Jupyter shows', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import settings as s\ndef area(r): return 3 * r',
      'def volume(r): return area(r)\nvolume(1)',
      'def area(r): return 4 * r',
      'volume(1)\ns.LIMIT = 9\nimport pandas as pd\npd.options.display.max_rows = 5\npd.DataFrame.top = 1',
      'import functools\n@functools.cache\ndef slow(n): return n',
      'slow.cache_info(), "kept" in dir()',
    ];
    const cells: Json[] = sources.map((source) => ({ ...code, source }));
    cells.push({ ...code, source: 'kept = 1\n1 / 0', metadata: { tags: ['raises-exception'] } });
    const { report } = await foreignNotebooks(engine).jupyter({ nbformat: 4, cells });
    assert.deepEqual(
      report.findings.map(({ cell, line, kind, text }) => `${kind} ${cell}:${line} ${text}`),
      [
        'differs 3:1 volume uses the area of cell 1 here, where Jupyter uses that of cell 3',
        'differs 3:2 s.LIMIT is set in this cell alone: others import the module anew',
        'differs 5:1 slow remembers nothing from cell to cell',
        'differs 5:1 dir() knows the names of this cell and those that it reads, not all of the notebook',
        'differs 6:1 This cell fails; kept would outlive that in Jupyter, and does not here',
      ],
    );
  });

  const code = { cell_type: 'code', source: 'x = 1', outputs: [], execution_count: 1, metadata: {} };
  const shapes: readonly (readonly [string, Json, readonly string[]])[] = [
    [
      'of version 3, with worksheets, inputs and headings',
      {
        nbformat: 3,
        worksheets: [
          {
            cells: [
              { cell_type: 'heading', level: 2, source: 'Title' },
              { cell_type: 'code', input: ['x = 1'] },
            ],
          },
        ],
      },
      ['## Title\n', 'x = 1\n'],
    ],
    ['of version 4.0, without ids', { nbformat: 4, nbformat_minor: 0, cells: [code] }, ['x = 1\n']],
    [
      'with attachments and unknown fields',
      {
        nbformat: 4,
        extra: [1],
        cells: [
          {
            cell_type: 'markdown',
            source: ['![a](attachment:a.png)'],
            attachments: { 'a.png': { 'image/png': 'AA' } },
          },
        ],
      },
      ['![a](data:image/png;base64,AA)\n'],
    ],
    ['without cells', { nbformat: 4, cells: [] }, []],
    ['without anything', {}, []],
    ['without metadata or version', { cells: [code] }, ['x = 1\n']],
  ];
  for (const [name, notebook, sources] of shapes)
    it(`${name} is read`, async () => {
      await using engine = observedEngine(analysisCommand);
      const { cells } = await foreignNotebooks(engine).jupyter(notebook);
      assert.deepEqual(
        cells.map(({ source }) => source),
        sources,
      );
    });

  const ran = (execution_count: number, source: string): Json => ({
    cell_type: 'code',
    execution_count,
    source,
    outputs: [{ output_type: 'execute_result', data: {}, metadata: {}, execution_count }],
  });

  it('gets names for what _ and Out[…] meant; what cannot be known is told', async () => {
    await using engine = observedEngine(analysisCommand);
    const { cells, report } = await foreignNotebooks(engine).jupyter({
      cells: [
        ran(1, 'x = 1\nx'),
        ran(2, '(x +\n 1)'),
        ran(3, 'y = _ + Out[2] * _1'),
        ran(4, 'for _ in range(3): print(_)'),
        ran(5, 'Out[77], In[1]'),
      ],
    });
    assert.deepEqual(
      cells.map(({ source }) => source),
      [
        'x = 1\nx\n',
        'out_2 = (x +\n 1)\nout_2\n',
        'y = out_2 + out_2 * x\n',
        'for _ in range(3): print(_)\n',
        'Out[77], In[1]\n',
      ],
    );
    assert.deepEqual(report.translated_magics.toSorted(), ['Out[1]', 'Out[2]', '_']);
    assert.deepEqual(report.warnings, [
      'Cell 5 reads Out[77], which only Jupyter keeps: give the value a name.',
      'Cell 5 reads In, which only Jupyter keeps: give the value a name.',
    ]);
  });

  it('imports what %pylab gives to all cells', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = ['%pylab inline', 'hist(np.array([1, 2]))', 'plt.show()'];
    const { cells } = await foreignNotebooks(engine).jupyter({ cells: sources.map((source) => ({ ...code, source })) });
    assert.deepEqual(
      cells.map(({ source }) => source.trimEnd()),
      [
        'import numpy as np, matplotlib.pyplot as plt\nfrom pylab import *',
        'from pylab import hist  # svc import: named by a * above\nhist(np.array([1, 2]))',
        'plt.show()',
      ],
    );
  });

  it('imports by name in each cell what a * has imported for all', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'from sympy import *\nfrom string import *\nx = symbols("x")',
      '# @timeout 5\nsin(x), digits, len([1])',
      'S = 5\nexpand(x * S)',
      'x',
      '%%time\nsolve(x)',
      'display(x)',
    ];
    const { cells, report } = await foreignNotebooks(engine).jupyter({
      cells: sources.map((source) => ({ ...code, source })),
    });
    const mark = '# svc import: named by a * above';
    assert.deepEqual(
      cells.map(({ source }) => source.trimEnd()),
      [
        sources[0],
        `# @timeout 5\nfrom string import digits  ${mark}\nfrom sympy import sin  ${mark}\nsin(x), digits, len([1])`,
        `from sympy import expand  ${mark}\nS = 5\nexpand(x * S)`,
        'x',
        `%%time\nfrom sympy import solve  ${mark}\nsolve(x)`,
        'display(x)',
      ],
    );
    assert.deepEqual(report.findings.at(-1), {
      cell: 4,
      line: 1,
      kind: 'translated',
      text: 'from sympy import solve',
    });
  });

  it('hands on a model that an optimiser trains, by whatever function', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'model = Net()',
      'optimizer = Adam(model.parameters(), lr=0.1)\nscheduler = StepLR(optimizer, 2)',
      'def train():\n    optimizer.zero_grad()\n    loss(model).backward()\n    optimizer.step()',
      'for epoch in range(3):\n    train()',
      'scheduler.step()\nmodel(1)',
    ];
    const { cells } = await foreignNotebooks(engine).jupyter({ cells: sources.map((source) => ({ ...code, source })) });
    const handed = cells.map(({ source }) => source.split('\n').filter((line) => line.includes('handed on')));
    assert.deepEqual(
      handed.map((lines) => lines.map((line) => line.split(' ')[0]).sort()),
      [[], [], [], ['model', 'optimizer'], ['model', 'optimizer', 'scheduler']],
    );
  });

  it('writes a lambda as a function where another cell uses it', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'import math\nsquare = lambda x, *more, by=2: x ** by  # again\nmine = lambda: 1\nmine()',
      '# @name area\ngreet = lambda name: (\n    "hello " +\n    name\n)\nhalf = lambda x: x / 2; third = 3',
      'square(3), greet("ä"), half(third), mine',
    ];
    const { cells, report } = await foreignNotebooks(engine).jupyter({
      cells: sources.map((source) => ({ ...code, source })),
    });
    assert.deepEqual(
      cells.map(({ source }) => source.trimEnd()),
      [
        'import math\ndef square(x, *more, by=2):\n    return x ** by  # again\ndef mine():\n    return 1\nmine()',
        '# @name area\ndef greet(name):\n    return ("hello " +\n    name)\nhalf = lambda x: x / 2; third = 3',
        sources[2],
      ],
    );
    assert.deepEqual(
      report.findings
        .filter(({ kind }) => kind === 'translated')
        .map(({ text }) => text)
        .toSorted(),
      ['def greet', 'def mine', 'def square'],
    );
  });

  it('writes a lambda as a function that Python can read, and nothing that stands before it goes', async () => {
    await using engine = observedEngine(analysisCommand);
    const sources = [
      'scale2 = 2; scale = lambda x: x * scale2',
      'last = lambda x: (kept := x)\nasked = lambda: (yield 1)',
      'scale(1), last(2), asked()',
    ];
    const { cells } = await foreignNotebooks(engine).jupyter({
      cells: sources.map((source) => ({ ...code, source })),
    });
    assert.deepEqual(
      cells.map(({ source }) => source.trimEnd()),
      [sources[0], 'def last(x):\n    return (kept := x)\ndef asked():\n    return (yield 1)', sources[2]],
    );
  });

  it('keeps what cells understand of IPython, and has all of it in its report, with cell and line', async () => {
    await using engine = observedEngine(analysisCommand);
    const { cells, report } = await foreignNotebooks(engine).jupyter({
      cells: [
        { cell_type: 'code', source: 'x = 1\nx.real?\n!ls \\\n  -l' },
        { cell_type: 'code', source: '%%time\n%timeit -n 2 x\nx;' },
        { cell_type: 'code', source: '%%writefile -a notes.txt\nhello' },
      ],
    });
    assert.deepEqual(
      cells.map(({ source }) => source),
      ['x = 1\nx.real?\n!ls -l\n', '%%time\n%timeit -n 2 x\nx;\n', '%%writefile -a notes.txt\nhello\n'],
    );
    assert.deepEqual(report.findings, [
      { cell: 0, line: 2, kind: 'kept', text: 'x.real?' },
      { cell: 0, line: 3, kind: 'kept', text: '!ls -l' },
      { cell: 1, line: 1, kind: 'kept', text: '%%time' },
      { cell: 1, line: 2, kind: 'kept', text: '%timeit' },
      { cell: 1, line: 3, kind: 'silenced', text: ';' },
      { cell: 2, line: 1, kind: 'kept', text: '%%writefile' },
    ]);
  });

  for (const notebook of [null, 1, 'text', [], { cells: {} }, { cells: [1] }])
    it(`is not ${JSON.stringify(notebook)}`, async () => {
      await using engine = observedEngine(analysisCommand);
      await assert.rejects(foreignNotebooks(engine).jupyter(notebook), EngineRefused);
    });
});
