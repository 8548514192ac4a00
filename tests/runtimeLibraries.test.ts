// What libraries show that were made for Jupyter: each as what it is, or in words that say why not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { terminalText } from '../src/terminalText.ts';
import { type CellOptions, type Cells, type FinishedCell, startCells } from './kit/cells.ts';
import { displayEnvironment } from './kit/notebookEnvironment.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function run(t: TestContext, source: string, options: CellOptions = {}): Promise<FinishedCell | undefined> {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter);
  const finished = await shared.run(source, options);
  assert.equal(finished.error, null);
  return finished;
}

/** Type and text of what was shown; a text that is too long to come along is read from where it was stored. */
const shown = ({ displays, outputDir }: FinishedCell): [type: string, text: string][] =>
  displays.map(({ content_type, file, preview, markdown_text, inline_text, inline_data_url }) => {
    const text = markdown_text ?? inline_text ?? inline_data_url ?? preview;
    return [content_type, typeof text === 'string' ? text : fs.readFileSync(path.join(outputDir, file ?? ''), 'utf8')];
  });

test('display of IPython shows what it is given, as what it is', async (t) => {
  const finished = await run(
    t,
    `
from IPython.display import display, HTML, Image, JSON, Javascript, Latex, Markdown, Math, SVG
display(HTML('<b>x</b>'), Markdown('# T'), Latex('$a$'), Math('b'), SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'))
display(Javascript('document.body.append(1)'), JSON({'a': 1}))
display(Image(data=b'\\xff\\xd8\\xff\\xe0 a photo', format='jpeg'))
display({'text/html': '<i>y</i>', 'text/plain': 'y'}, raw=True)
`,
  );
  if (finished === undefined) return;
  assert.deepEqual(shown(finished), [
    ['text/html', '<b>x</b>'],
    ['text/markdown', '# T'],
    ['text/latex', '$a$'],
    ['text/latex', '$\\displaystyle b$'],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['text/html', '<script>document.body.append(1)</script>'],
    ['json/object', '{\n  "a": 1\n}'],
    ['image/jpeg', `data:image/jpeg;base64,${Buffer.from('\xff\xd8\xff\xe0 a photo', 'latin1').toString('base64')}`],
    ['text/html', '<i>y</i>'],
  ]);
  assert.equal(finished.stdout, '');
});

test('a display that is updated stands once, and one that was cleared does not stand', async (t) => {
  const finished = await run(
    t,
    `
from IPython.display import clear_output, display
display('gone')
clear_output(wait=True)
handle = display('one', display_id=True)
display('after')
handle.update('two')
`,
  );
  if (finished === undefined) return;
  assert.deepEqual(
    finished.displays.map(({ preview }) => preview),
    ['two', 'after'],
  );
});

test('a value that displays itself does so', async (t) => {
  const finished = await run(
    t,
    `
from IPython.display import display, HTML
class Own:
    def _ipython_display_(self): display(HTML('<u>own</u>'))
Own()
`,
  );
  if (finished === undefined) return;
  assert.deepEqual(shown(finished), [['text/html', '<u>own</u>']]);
});

test('a formula of sympy is LaTeX', async (t) => {
  const finished = await run(t, 'import sympy\nx = sympy.symbols("x")\nsympy.sqrt(x) / 2');
  if (finished === undefined) return;
  assert.deepEqual(shown(finished), [['text/latex', '$\\displaystyle \\frac{\\sqrt{x}}{2}$']]);
});

test('a styled data frame keeps its style', async (t) => {
  const finished = await run(
    t,
    'import pandas as pd\npd.DataFrame({"a": [1, 2]}).style.format("{:.1f} %").highlight_max(color="teal")',
  );
  if (finished === undefined) return;
  const [[type, text] = ['', '']] = shown(finished);
  assert.equal(type, 'text/html');
  assert.match(text, /background-color: teal/);
  assert.match(text, />2\.0 %</);
});

for (const [how, source] of [
  ['as the last value', 'plot'],
  ['by show', 'from bokeh.io import output_notebook, show\noutput_notebook()\nshow(plot)'],
] as const)
  test(`a Bokeh figure is shown ${how}, with its scripts in it`, async (t) => {
    const finished = await run(
      t,
      `from bokeh.plotting import figure\nplot = figure(height=200)\nplot.line([1, 2], [3, 4])\n${source}`,
    );
    if (finished === undefined) return;
    const [[type, text] = ['', '']] = shown(finished);
    assert.deepEqual([finished.displays.length, type], [1, 'text/html']);
    assert.doesNotMatch(text, /<(script|link)[^>]+(src|href)=/);
    assert.match(text, /Bokeh/);
  });

test('what HoloViews draws is shown as a page, and in words before one of its extensions is loaded', async (t) => {
  const finished = await run(
    t,
    `import sys, types
for name in ('holoviews', 'holoviews.core', 'holoviews.core.dimension', 'holoviews.core.options', 'panel'):
    sys.modules[name] = types.ModuleType(name)
class Dimensioned:
    def __init__(self, title): self.title = title
    def __repr__(self): return f':{self.title}'
    def traverse(self, *_): return []
class SkipRendering(Exception): pass
class Renderer:
    def plotting_class(value):
        if value.title == 'Dataset': raise SkipRendering
class Pane:
    def __init__(self, drawn): self.drawn = drawn
    def save(self, page, resources, embed, **_): page.write(f'{self.drawn} {resources.mode} {embed}')
class HoloMap: pass
hv = sys.modules['holoviews']
hv.HoloMap = hv.DynamicMap = HoloMap
hv.Store = types.SimpleNamespace(renderers={}, current_backend='bokeh')
sys.modules['holoviews.core.dimension'].Dimensioned = Dimensioned
sys.modules['holoviews.core.options'].SkipRendering = SkipRendering
sys.modules['panel'].panel = Pane
display(Dimensioned('Curve'))
hv.Store.renderers['bokeh'] = Renderer
display(Dimensioned('Dataset'))
display(Dimensioned('Curve'))`,
  );
  if (finished === undefined) return;
  assert.deepEqual(shown(finished), [
    ['text/plain', ':Curve'],
    ['text/plain', ':Dataset'],
    ['text/html', ':Curve inline True'],
  ]);
});

test('Bokeh figures of two cells are changed and shown together by a third', async (t) => {
  const drawn = (numbers: string): string =>
    `from bokeh.plotting import figure\nplot = figure(height=200)\nplot.line([1, 2], ${numbers}, name="${numbers}")`;
  const one = await run(t, drawn('[3, 4]'), { wanted: ['plot'] });
  const other = await run(t, drawn('[5, 6]'), { wanted: ['plot'] });
  if (one === undefined || other === undefined) return;
  const source = `
from bokeh.layouts import row
from bokeh.models import Plot
one.line([1, 2], [7, 8])
both = row(one, other)
numbers = [[list(part.data_source.data["y"]) for part in plot.renderers] for plot in (one, other)]
parts = list(both.references())
numbers, len(parts) == len({part.id for part in parts})
`;
  const together = await run(t, source, { inputs: { one: one.input('plot'), other: other.input('plot') } });
  assert.deepEqual(
    together?.displays.map(({ preview, text }) => text ?? preview),
    ['([[[3, 4], [7, 8]], [[5, 6]]], True)'],
  );
});

for (const name of ['tqdm', 'tqdm.auto', 'tqdm.notebook'])
  test(`a progress bar of ${name} is one line of text`, async (t) => {
    const finished = await run(
      t,
      `from ${name} import tqdm\nfor i in tqdm(range(3), mininterval=0, bar_format="{n}/{total}"): pass`,
    );
    if (finished === undefined) return;
    assert.deepEqual([finished.displays, terminalText(finished.stderr).trim()], [[], '3/3']);
  });
