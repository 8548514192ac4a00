// Widgets of ipywidgets and anywidget in a cell process: kept with their state, without a kernel.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { widgetType } from '../src/widgetType.ts';
import { readWidgetView, type WidgetView } from '../src/widgetView.ts';
import { type Cells, type FinishedCell, startCells } from './kit/cells.ts';
import { displayEnvironment } from './kit/notebookEnvironment.ts';

let shared: Cells | undefined;
after(() => shared?.[Symbol.asyncDispose]());

/** Undefined after the test was marked as skipped. */
async function run(t: TestContext, source: string, cellId = 'shown'): Promise<FinishedCell | undefined> {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return undefined;
  shared ??= startCells(interpreter);
  const finished = await shared.run(source, { cellId });
  assert.equal(finished.error, null);
  return finished;
}

const views = ({ displays, outputDir }: FinishedCell): WidgetView[] =>
  displays.map(({ content_type, inline_text, file }) => {
    assert.equal(content_type, widgetType);
    const view = readWidgetView(String(inline_text ?? fs.readFileSync(path.join(outputDir, file ?? ''), 'utf8')));
    assert.ok(view);
    return view;
  });

/** One member of each widget that goes with a view, by the names of their models. */
const states = ({ widgets }: WidgetView, member: string): [model: string, value: unknown][] =>
  Object.values(widgets.state)
    .filter(({ state }) => member in state)
    .map(({ model_name, state }) => [model_name, state[member]]);

test('a widget is kept as the cell leaves it, with the same bytes each time', async (t) => {
  const source = 'import ipywidgets\nslider = ipywidgets.IntSlider(value=3, max=9)\ndisplay(slider)\nslider.value = 7';
  const first = await run(t, source);
  if (first === undefined) return;
  const again = await run(t, source);
  const [view] = views(first);
  assert.ok(view && again);
  assert.deepEqual(
    [view.text, view.is_heard, states(view, 'value')],
    ['IntSlider(value=3, max=9)', false, [['IntSliderModel', 7]]],
  );
  assert.deepEqual(
    Object.values(view.widgets.state)
      .map(({ model_name }) => model_name)
      .sort(),
    ['IntSliderModel', 'LayoutModel', 'SliderStyleModel'],
  );
  assert.deepEqual(views(again), views(first));
});

test('widgets that a link joins are kept with each other and with the link', async (t) => {
  const finished = await run(
    t,
    'import ipywidgets as w\na, b, c = w.IntText(1), w.IntSlider(2), w.Text("alone")\nl = w.jslink((a, "value"), (b, "value"))\ndisplay(a, b, c)',
  );
  if (finished === undefined) return;
  const [a, b, c] = views(finished);
  assert.ok(a && b && c);
  assert.deepEqual(a.widgets, b.widgets);
  const names = (view: WidgetView) => new Set(Object.values(view.widgets.state).map(({ model_name }) => model_name));
  assert.ok(names(a).has('LinkModel'));
  assert.deepEqual([...names(c)].sort(), ['LayoutModel', 'TextModel', 'TextStyleModel']);
});

test('interact shows what its function gave first: text, values, figures and errors', async (t) => {
  const finished = await run(
    t,
    `
from ipywidgets import interact
import matplotlib.pyplot as plt
@interact(x=(0, 10), word=['a', 'b'])
def show(x, word):
    print(word, x)
    plt.plot([0, x])
    return x * 2
@interact(n=(0, 3))
def fails(n):
    1 / 0
`,
  );
  if (finished === undefined) return;
  const [shows, fails] = views(finished);
  assert.ok(shows && fails);
  assert.deepEqual([shows.is_heard, finished.stdout, finished.displays.length], [true, '', 2]);
  const [[, outputs] = []] = states(shows, 'outputs');
  assert.deepEqual(
    Array.isArray(outputs) && outputs.map(({ output_type, text, data }) => text ?? [output_type, Object.keys(data)]),
    ['a 5\n', ['display_data', ['text/plain']], ['display_data', ['image/png', 'text/plain']]],
  );
  const [[, problem] = []] = states(fails, 'outputs');
  assert.ok(Array.isArray(problem));
  assert.deepEqual(
    [problem[0].output_type, problem[0].ename, problem[0].evalue],
    ['error', 'ZeroDivisionError', 'division by zero'],
  );
});

test('what a person does is heard where code listens, and nowhere else', async (t) => {
  const finished = await run(
    t,
    `
import ipywidgets as w
button, plain, text = w.Button(), w.Dropdown(options=['x', 'y']), w.Text()
button.on_click(lambda _: None)
text.observe(print, 'value')
display(button, plain, text, w.HBox([w.Checkbox()]), w.Tab([w.Play()]))
`,
  );
  if (finished === undefined) return;
  assert.deepEqual(
    views(finished).map(({ is_heard }) => is_heard),
    [true, false, true, false, false],
  );
});

test('an anywidget brings its script, its style and its bytes along', async (t) => {
  const finished = await run(
    t,
    `
import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = "export default { render({ model, el }) { el.textContent = model.get('value'); } }"
    _css = ".counter { color: teal }"
    value = traitlets.Int(4).tag(sync=True)
    raw = traitlets.Bytes(b"\\x00\\x01").tag(sync=True)
Counter()
`,
  );
  if (finished === undefined) return;
  const [view] = views(finished);
  const model = view?.widgets.state[view.model_id];
  assert.deepEqual(
    [model?.model_module, model?.state.value, model?.state._css, model?.buffers, view?.is_heard],
    ['anywidget', 4, '.counter { color: teal }', [{ path: ['raw'], encoding: 'base64', data: 'AAE=' }], false],
  );
});

test('a widget that was closed is not shown, and one whose front end is not here is told in words', async (t) => {
  const finished = await run(
    t,
    `
import ipywidgets as w, traitlets
gone = w.Text('gone')
display(gone)
gone.close()
class Strange(w.DOMWidget):
    _view_name = traitlets.Unicode('StrangeView').tag(sync=True)
    _view_module = traitlets.Unicode('strange-js').tag(sync=True)
    _model_module = traitlets.Unicode('strange-js').tag(sync=True)
Strange()
`,
  );
  if (finished === undefined) return;
  assert.deepEqual(
    finished.displays.map(({ content_type, inline_text }) => [content_type, inline_text]),
    [
      [
        'text/plain',
        'Strange()\n\nA widget of strange-js, which is told in words: shown are those of ipywidgets and anywidget, whose front ends are here.\nOthers would have to be fetched from elsewhere.',
      ],
    ],
  );
});

test('what is printed while an Output is entered stands in it and not on the console', async (t) => {
  const finished = await run(
    t,
    `
import ipywidgets as w
out = w.Output()
display(out)
with out:
    print('first')
    display(w.Label('inside'))
out.append_stdout('later')
print('outside')
`,
  );
  if (finished === undefined) return;
  const [view] = views(finished);
  assert.ok(view);
  const [[, outputs] = []] = states(view, 'outputs');
  assert.ok(Array.isArray(outputs));
  assert.deepEqual(
    [finished.stdout, outputs[0].text, outputs[1].data[widgetType].version_major, outputs[2].text],
    ['outside\n', 'first\n', 2, 'later'],
  );
  assert.deepEqual(states(view, 'value'), [['LabelModel', 'inside']]);
});
