// What a cell shows, and how: each kind of display, in order, as it was when it was shown.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { ValueRecord } from '../src/runtimes/index.ts';
import { type Cells, startCells } from './kit/cells.ts';
import { notebookEnvironment } from './kit/notebookEnvironment.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function needCells(t: TestContext): Promise<Cells | undefined> {
  const interpreter = await notebookEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter, { cells: () => [{ source: 'import numpy, pandas, pyarrow, matplotlib.pyplot' }] });
  return shared;
}

const kinds = (displays: readonly ValueRecord[]): string[] => displays.map((record) => record.content_type);

test('displays come in the order in which they were shown, and the last expression last', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, outputDir } = await cells.run(`
x = [1]
print(display(x))
x.append(2)
display(None)
display(Markdown('# T'), 'text')
x
`);
  assert.deepEqual(
    displays.map(({ content_type, file, preview, markdown_text }) => [content_type, file, markdown_text ?? preview]),
    [
      ['json/object', '__display__0.json', [1]],
      ['text/markdown', '__display__1.md', '# T'],
      ['json/object', '__display__2.json', 'text'],
      ['json/object', '__display__3.json', [1, 2]],
    ],
  );
  assert.deepEqual(fs.readdirSync(outputDir), displays.map((record) => record.file).sort());
});

test('short lists, dictionaries and single values are shown as Python writes them', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays } = await cells.run(`from decimal import Decimal
for value in ([1.0, None, 'é'], {'b': True, 'a': []}, False, Decimal('0.10'), 'text', 7, list(range(200))): display(value)`);
  assert.deepEqual(
    displays.map(({ text }) => text ?? null),
    ["[1.0, None, 'é']", "{'b': True, 'a': []}", 'False', "Decimal('0.10')", null, null, null],
  );
});

test('dictionaries and lists of anything else are folded as IPython folds them, to their end', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays } = await cells.run(`import enum, numpy
class Kind(enum.Enum): A = 'a'
class Style(dict): pass
display({'kind': Kind.A, 'some': (Kind.A,)})
display(Style({f'key {number}': [Kind.A] * (5 * number) for number in range(3)}))
display([numpy.arange(4).reshape(2, 2), Kind.A, {Kind.A}, 'x' * 60])
endless = [Kind.A]
endless.append(endless)
endless`);
  assert.deepEqual(
    displays.map(({ text }) => String(text).split('\n')),
    [
      ["{'kind': <Kind.A: 'a'>, 'some': (<Kind.A: 'a'>,)}"],
      [
        "{'key 0': [],",
        " 'key 1': [<Kind.A: 'a'>,",
        ...Array(3).fill("  <Kind.A: 'a'>,"),
        "  <Kind.A: 'a'>],",
        " 'key 2': [<Kind.A: 'a'>,",
        ...Array(8).fill("  <Kind.A: 'a'>,"),
        "  <Kind.A: 'a'>]}",
      ],
      ['[array([[0, 1],', '        [2, 3]]),', " <Kind.A: 'a'>,", " {<Kind.A: 'a'>},", ` '${'x'.repeat(60)}']`],
      ["[<Kind.A: 'a'>, [<Kind.A: 'a'>, [<Kind.A: 'a'>, [<Kind.A: 'a'>, [...]]]]]"],
    ],
  );
});

test('colour maps and animations of matplotlib show themselves, its other parts are told as they are', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const shown = async (source: string) =>
    kinds((await cells.run(`import matplotlib.pyplot as plt\n${source}`)).displays);
  const animation = `from matplotlib.animation import FuncAnimation
plt.rcParams['animation.html'] = 'jshtml'
figure, axes = plt.subplots()
moving = FuncAnimation(figure, lambda at: axes.plot([at]), frames=2)
plt.close(figure)
moving`;
  assert.deepEqual(
    [await shown('plt.colormaps["viridis"]'), await shown(animation), await shown('plt.plot([1])[0]')],
    [['image/png'], ['text/html'], ['image/png', 'text/plain']],
  );
});

test('numbers that others would write otherwise are shown as Python writes them', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `import numpy as np
for number in (2**80, 12345678901234567, 7, 662652.4, 5.0, 1e16, float("nan"), np.int64(2**62), np.float32(0.1), np.float64(2.0)):
    display(number)`;
  const { displays } = await cells.run(source);
  assert.deepEqual(
    displays.map(({ text }) => text),
    [
      '1208925819614629174706176',
      '12345678901234567',
      undefined,
      undefined,
      '5.0',
      '1e+16',
      'nan',
      '4611686018427387904',
      '0.1',
      '2.0',
    ],
  );
});

test('what offers a stream of rows beside being something else stays that', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const declared = `import pandas as pd, pyarrow as pa
class Sales(pd.DataFrame):
    @property
    def _constructor(self):
        return Sales
class Grid:
    ndim = 2
    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table({"value": [1, 2]}).__arrow_c_stream__(requested_schema)
    def _repr_html_(self):
        return "<b>grid</b>"
class Answer:
    def __init__(self):
        self.connection = (number for number in [1])
    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table({"value": [1, 2]}).__arrow_c_stream__(requested_schema)
sales, grid, answer = Sales({"a": [1]}), Grid(), Answer()
display(sales, grid)`;
  const made = await cells.run(declared, { wanted: ['sales', 'grid', 'answer'] });
  assert.deepEqual(
    [kinds(made.displays), ...['sales', 'grid', 'answer'].map((name) => made.variables[name]?.content_type)],
    [['arrow/ipc', 'text/html'], 'pickle/object', 'pickle/object', 'arrow/ipc'],
    'what cannot be kept as it is is kept as its rows',
  );
});

test('a cell that ends with a statement or with None shows nothing', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  for (const source of ['x = 1', 'None', 'print(1)', '']) assert.deepEqual((await cells.run(source)).displays, []);
});

test('the last expression shares the file of the variable that it is', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndf";
  const { displays, outputDir } = await cells.run(source, { wanted: ['df'] });
  assert.deepEqual(fs.readdirSync(outputDir), ['df.arrow']);
  const { content_type, file, rows, columns, preview } = displays[0] ?? assert.fail();
  assert.deepEqual(
    { content_type, file, rows, columns, preview },
    { content_type: 'arrow/ipc', file: 'df.arrow', rows: 2, columns: ['a'], preview: [[1], [2]] },
  );
});

test('an array that is shown says its numbers, whether or not it is stored as a variable too', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = 'import numpy as np\na = np.arange(6).reshape(2, 3)\ndisplay(a * 2)\na';
  const { displays, variables } = await cells.run(source, { wanted: ['a'] });
  assert.deepEqual(
    displays.map(({ content_type, preview, text }) => ({ content_type, preview, text })),
    [
      {
        content_type: 'arrow/ipc',
        preview: 'ndarray shape=(2, 3) dtype=int64',
        text: 'array([[ 0,  2,  4],\n       [ 6,  8, 10]])',
      },
      {
        content_type: 'arrow/ipc',
        preview: 'ndarray shape=(2, 3) dtype=int64',
        text: 'array([[0, 1, 2],\n       [3, 4, 5]])',
      },
    ],
  );
  assert.deepEqual(Object.keys(variables.a ?? {}).includes('text'), false);
});

test('each figure is shown once, as an image', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, error, outputDir, stderr } = await cells.run(`
import matplotlib.pyplot as plt
plt.figure(figsize=(1, 1)); plt.plot([1, 2])
plt.show()
second = plt.figure(figsize=(1, 1))
plt.show()
second.show()
second
`);
  assert.equal(error, null);
  assert.equal(stderr, '');
  assert.deepEqual(kinds(displays), ['image/png', 'image/png']);
  const { file, bytes, inline_data_url, width, height, preview } = displays[0] ?? assert.fail();
  const png = fs.readFileSync(path.join(outputDir, file ?? ''));
  assert.equal(png.length, bytes);
  assert.equal(inline_data_url, `data:image/png;base64,${png.toString('base64')}`);
  assert.deepEqual([width, height, preview], [png.readUInt32BE(16), png.readUInt32BE(20), null]);
});

test('what is drawn after plt.show() is another figure', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, error } = await cells.run(`
import matplotlib.pyplot as plt
for width in (1, 2):
    plt.rcParams['figure.figsize'] = (width, 1)
    plt.plot([1, 2])
    plt.show()
fig, ax = plt.subplots(figsize=(3, 1))
plt.show()
[int(fig.get_figwidth()), len(plt.gca().lines)]
`);
  assert.deepEqual(
    [error, displays.map(({ content_type, preview }) => [content_type, preview])],
    [
      null,
      [
        ['image/png', null],
        ['image/png', null],
        ['image/png', null],
        ['image/png', null],
        ['json/object', [3, 0]],
      ],
    ],
    'two of the loop, the third, and the one that gca() has begun',
  );
});

test('a figure in ink on white paper follows the theme; one whose paper was chosen, or whose colours are values, does not', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, error } = await cells.run(`
import matplotlib.pyplot as plt
def figure(draw, **more):
    fig, ax = plt.subplots(figsize=(1, 1), **more)
    draw(ax)
    plt.show()
    plt.close(fig)
figure(lambda ax: (ax.plot([1, 2], label='a'), ax.plot([2, 3], color='black'), ax.legend(), ax.grid()))
figure(lambda ax: (ax.scatter([1, 2], [1, 2]), ax.bar([1], [2]), ax.fill_between([1, 2], [1, 2])))
figure(lambda ax: ax.bar([1], [2], color='gold'))
figure(lambda ax: ax.plot([1, 2]), facecolor='#222')
figure(lambda ax: ax.set_facecolor('beige'))
figure(lambda ax: ax.imshow([[1, 2]]))
figure(lambda ax: ax.scatter([1, 2], [1, 2], c=[1, 2]))
`);
  assert.deepEqual(
    [error, displays.map(({ follows_theme }) => follows_theme)],
    [null, [true, true, undefined, undefined, undefined, undefined, undefined]],
  );
});

test('figures that are left open are shown before the last value, those that came in are not', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const made = await cells.run(
    `
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(1, 1))
closed = plt.figure(); plt.close(closed)
'done'
`,
    { wanted: ['fig'] },
  );
  assert.deepEqual(kinds(made.displays), ['image/png', 'json/object']);
  const { content_type, file } = made.variables.fig ?? assert.fail();
  const inputs = { fig: { contentType: content_type, file: path.join(made.outputDir, file ?? '') } };
  const { displays, error } = await cells.run('width = fig.get_figwidth()', { inputs });
  assert.deepEqual([error, kinds(displays)], [null, []]);
});

for (const [what, source, contentType, text] of [
  ['HTML', 'class H:\n  def _repr_html_(self): return "<b>x</b>"\nH()', 'text/html', /^<b>x<\/b>$/],
  ['SVG', 'class S:\n  def _repr_svg_(self): return "<svg/>"\nS()', 'image/svg+xml', /^<svg\/>$/],
  ['LaTeX', 'class L:\n  def _repr_latex_(self): return "$x^2$"\nL()', 'text/latex', /^\$x\^2\$$/],
  [
    'a bundle',
    'class B:\n  def _repr_mimebundle_(self, include=None, exclude=None):\n    return {"text/plain": "p", "text/html": "<i>y</i>"}\nB()',
    'text/html',
    /^<i>y<\/i>$/,
  ],
  [
    'an Altair chart',
    'import altair as alt, pandas as pd\nalt.Chart(pd.DataFrame({"a": [1]})).mark_bar().encode(x="a:Q")',
    'application/vnd.vegalite.v6+json',
    /"mark"/,
  ],
  [
    'a Plotly figure',
    'import plotly.graph_objects as go\ngo.Figure(go.Bar(y=[1, 2]))',
    'application/vnd.plotly.v1+json',
    /"type":"bar"/,
  ],
  ['an object that cannot be pickled', '(i for i in [1])', 'text/plain', /^<generator object <genexpr> at 0x/],
  [
    'an object whose HTML fails',
    'class H:\n  def _repr_html_(self): 1/0\n  def __repr__(self): return "H!"\nH()',
    'pickle/object',
    /^H!$/,
  ],
  [
    'a data frame with rows and without columns',
    'import pandas as pd\npd.DataFrame(index=range(5))',
    'text/html',
    /<th>4<\/th>/,
  ],
] as const) {
  test(`${what} is shown`, async (t) => {
    const cells = await needCells(t);
    if (cells === undefined) return;
    const { displays, error } = await cells.run(source);
    assert.equal(error, null);
    assert.deepEqual(kinds(displays), [contentType]);
    assert.match(displays[0]?.inline_text ?? displays[0]?.text ?? '', text);
  });
}

test('columns that Arrow has no type for are shown in words, beside others that keep theirs', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source = `import pandas as pd, pathlib
pd.DataFrame({
    "mixed": [1, "two", None, float("nan"), [4]],
    "deep": [[1, [2, 3]], [], None, [5], {6}],
    "complex": [1 + 2j, None, 0j, 1j, 2],
    "huge": [2**70, 1, None, 3, 4],
    "path": [pathlib.Path("/a"), None, None, None, None],
    "sparse": pd.arrays.SparseArray([0, 0, 1, 0, 0]),
    "n": [1, 2, 3, 4, 5],
}, index=pd.Index([1, "b", 2.5, ("t",), None], name="which"))`;
  const { displays } = await cells.run(source);
  const { content_type, rows, columns, preview } = displays[0] ?? assert.fail();
  assert.deepEqual(
    { content_type, rows, columns, preview },
    {
      content_type: 'arrow/ipc',
      rows: 5,
      columns: ['mixed', 'deep', 'complex', 'huge', 'path', 'sparse', 'n', 'which'],
      preview: [
        ['1', '[1, [2, 3]]', '(1+2j)', '1180591620717411303424', '/a', 0, 1, '1'],
        ['two', '[]', '', '1', '', 0, 2, 'b'],
        ['', '', '0j', '', '', 1, 3, '2.5'],
        ['', '[5]', '1j', '3', '', 0, 4, "('t',)"],
        ['[4]', '{6}', '(2+0j)', '4', '', 0, 5, 'None'],
      ],
    },
  );
  const whole = await cells.run('import pandas as pd\npd.Series([1, "two", None], name="mixed")');
  assert.deepEqual(
    [whole.displays[0]?.content_type, whole.displays[0]?.preview],
    ['arrow/ipc', [['1'], ['two'], ['']]],
  );
});

test('tables that Arrow cannot hold as they are: columns of one name, wide integers and objects in polars', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, error } = await cells.run(`import pandas as pd, polars as pl
display(pd.DataFrame([[1, 2.5], [3, None]], columns=["a", "a"], index=pd.Index(["x", "y"], name="k")))
display(pl.DataFrame({"wide": pl.Series([2**100, None], dtype=pl.Int128), "sets": pl.Series([{1}, None], dtype=pl.Object), "n": [1, 2]}))`);
  assert.equal(error, null);
  assert.deepEqual(
    displays.map(({ content_type, rows, columns, preview }) => [content_type, rows, columns, preview]),
    [
      [
        'arrow/ipc',
        2,
        ['a', 'a', 'k'],
        [
          [1, 2.5, 'x'],
          [3, '', 'y'],
        ],
      ],
      [
        'arrow/ipc',
        2,
        ['wide', 'sets', 'n'],
        [
          ['1267650600228229401496703205376', '{1}', 1],
          ['', '', 2],
        ],
      ],
    ],
  );
});

test('images and pictures', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays } = await cells.run(`
from PIL import Image
display(Image.new('RGB', (3, 2)))
class P:
    def _repr_png_(self): return b'\\x89PNG'
P()
`);
  assert.deepEqual(
    displays.map(({ content_type, width, height }) => [content_type, width, height]),
    [
      ['image/png', 3, 2],
      ['image/png', null, null],
    ],
  );
});

test('plotly shows in the notebook and not in a browser', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { displays, error } = await cells.run('import plotly.express as px\npx.line(x=[1], y=[2]).show()');
  assert.equal(error, null);
  assert.deepEqual(kinds(displays), ['application/vnd.plotly.v1+json']);
});

test('what was shown before a failure is kept', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const { outcome, displays } = await cells.run('display(1)\n1/0');
  assert.deepEqual([outcome, displays[0]?.preview], ['error', 1]);
});

test('every cell draws other random numbers', async (t) => {
  const cells = await needCells(t);
  if (cells === undefined) return;
  const source =
    'import random, numpy as np\n[random.random(), float(np.random.rand()), float(np.random.default_rng().random())]';
  const [a, b] = [await cells.run(source), await cells.run(source)].map((run) => run.displays[0]?.preview);
  assert.ok(Array.isArray(a) && Array.isArray(b));
  assert.equal(new Set([...a, ...b]).size, 6);
});

test('what draws on a picture draws on the one that the cell has', async (t) => {
  const cells = await needCells(t);
  if (!cells) return;
  const source = 'from PIL import Image, ImageDraw\nimage = Image.new("L", (9, 9))\npen = ImageDraw.Draw(image)';
  const made = await cells.run(source, { wanted: ['image', 'pen'] });
  const inputs = { image: made.input('image'), pen: made.input('pen') };
  const drawn = await cells.run('pen.point((1, 1), fill=7)\nimage.putpixel((2, 2), 5)\nsum(image.tobytes())', {
    inputs,
  });
  assert.deepEqual([drawn.error, drawn.displays[0]?.preview], [null, 12]);
  assert.deepEqual(
    drawn.mutationWarnings.map(({ var_name }) => var_name),
    ['image'],
  );
});
