// Widgets of ipywidgets and anywidget in a real browser: drawn by their own front ends, in frames that reach nothing.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { FrameLocator, Page } from 'playwright-core';
import { z } from 'zod';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { displayEnvironment, lendPackages } from './kit/notebookEnvironment.ts';
import { picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

/** Undefined after the test was marked as skipped. */
async function notebookWith(
  t: TestContext,
  server: TestServer,
  sources: readonly string[],
): Promise<TestNotebook | undefined> {
  const interpreter = await displayEnvironment(t);
  if (interpreter === undefined) return undefined;
  const notebook = await createTestNotebook(server, 'Widgets');
  lendPackages(path.resolve(server.home, notebook.path), interpreter);
  for (const source of sources) assert.equal((await notebook.run(await notebook.add(source))).status, 'ready');
  return notebook;
}

const frameOf = (page: Page, cell: string, at = 0): FrameLocator =>
  page
    .getByRole('listitem', { name: new RegExp(`^${cell},`) })
    .locator('iframe')
    .nth(at)
    .contentFrame();

const controls = `# @name controls
import ipywidgets as w
w.VBox([
    w.IntSlider(value=3, max=9, description='Width'), w.FloatRangeSlider(value=[2, 5], description='Range'),
    w.Dropdown(options=['red', 'green'], description='Colour'), w.Checkbox(True, description='Filled'),
    w.Text('hello', description='Title'), w.ToggleButtons(options=['a', 'b', 'c']),
    w.HBox([w.Button(description='Save', icon='check', button_style='success'), w.Button(description='Stop', button_style='danger')]),
    w.IntProgress(value=6, max=10, description='Done'), w.Play(max=5), w.HTML('Some <b>markup</b>'),
    w.Tab([w.Label('first'), w.Label('second')], titles=['One', 'Two']), w.ColorPicker(value='teal', description='Pen'),
    w.RadioButtons(options=['x', 'y'], description='Axis'), w.Valid(True, description='Valid'),
])`;
const linked = `# @name linked
a, b = w.IntText(4, description='Number'), w.IntSlider(4, description='Slider')
link = w.jslink((a, 'value'), (b, 'value'))
display(a, b)`;
const counter = `# @name counter
import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = """
    export default { render({ model, el }) {
      const button = document.createElement('button');
      const write = () => { button.textContent = 'count is ' + model.get('value'); };
      button.addEventListener('click', () => { model.set('value', model.get('value') + 1); model.save_changes(); });
      model.on('change:value', write);
      write();
      el.append(button);
    } };
    """
    _css = 'button { padding: 4px 12px }'
    value = traitlets.Int(4).tag(sync=True)
Counter()`;

const heard = `# @name heard
import ipywidgets as w
button = w.Button(description='Say it')
button.on_click(lambda _: print('said from the cell'))
w.interact(lambda x: print(f'{x} times {factor} is {x * factor}'), x=(0, 10))
button`;

describe('widgets of Jupyter', () => {
  for (const [colorScheme, width] of [
    ['light', 1100],
    ['dark', 1100],
    ['dark', 420],
  ] as const)
    it(`are drawn with their state, and nothing is asked of anybody: ${colorScheme}, ${width} wide`, async (t) => {
      await using browser = await openBrowser(t);
      if (!browser.ready) return;
      await using server = await startServer();
      const notebook = await notebookWith(t, server, [controls]);
      if (notebook === undefined) return;
      const page = await browser.newPage({ viewport: { width, height: 1000 }, colorScheme });
      const { problems } = watchPage(page, () => server.address);
      await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
      const frame = frameOf(page, 'controls');
      await frame.getByText('Width').waitFor();
      assert.deepEqual(
        [
          await frame.locator('.widget-slider .widget-readout').first().textContent(),
          await frame.getByLabel('Colour').inputValue(),
          await frame.getByLabel('Title').inputValue(),
          await frame.getByText('Filled').isVisible(),
          await frame.getByText('first').isVisible(),
        ],
        ['3', 'red', 'hello', true, true],
      );
      await frame.getByText('Two').click();
      await frame.getByText('second').waitFor();
      assert.equal(await frame.getByText('first').isVisible(), false);
      await picture(page, `jupyter-widgets-${colorScheme}-${width}`);
      assert.deepEqual(problems, []);
    });

  it('a link between two outputs, and the script of an anywidget, work without any code of the cell', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await notebookWith(t, server, ['import ipywidgets as w', linked, counter]);
    if (notebook === undefined) return;
    const page = await browser.newPage({ viewport: { width: 1100, height: 1000 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await frameOf(page, 'linked', 1).locator('.widget-readout').getByText('4', { exact: true }).waitFor();
    await frameOf(page, 'linked', 0).getByLabel('Number').fill('17');
    await frameOf(page, 'linked', 0).getByLabel('Number').press('Enter');
    await frameOf(page, 'linked', 1).locator('.widget-readout').getByText('17', { exact: true }).waitFor();
    await frameOf(page, 'counter').getByText('count is 4').click();
    await frameOf(page, 'counter').getByText('count is 5').waitFor();
    await picture(page, 'jupyter-widgets-linked');
    assert.deepEqual(problems, []);
  });

  it('act in an exported page, which needs nobody', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await notebookWith(t, server, ['import ipywidgets as w', linked, counter]);
    if (notebook === undefined) return;
    const file = path.join(server.home, 'sent.html');
    await fs.writeFile(file, (await notebook.request('GET', '/export?fmt=html')).text);
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 }, colorScheme: 'dark' });
    const { problems } = watchPage(page, () => 'file:');
    await page.goto(`file://${file}`);
    const frames = page.locator('iframe');
    await frames.nth(1).contentFrame().locator('.widget-readout').getByText('4', { exact: true }).waitFor();
    await frames.nth(0).contentFrame().getByLabel('Number').fill('17');
    await frames.nth(0).contentFrame().getByLabel('Number').press('Enter');
    await frames.nth(1).contentFrame().locator('.widget-readout').getByText('17', { exact: true }).waitFor();
    await frames.nth(2).contentFrame().getByText('count is 4').click();
    await frames.nth(2).contentFrame().getByText('count is 5').waitFor();
    await picture(page, 'jupyter-widgets-exported');
    assert.deepEqual(problems, []);
  });

  it('go to Jupyter in the form that it keeps, and come back from there', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const interpreter = await displayEnvironment(t);
    await using server = await startServer();
    const notebook = await notebookWith(t, server, ['import ipywidgets as w', linked, counter]);
    if (notebook === undefined || interpreter === undefined) return;
    const file = path.join(server.home, 'sent.ipynb');
    await fs.writeFile(file, (await notebook.request('GET', '/export?fmt=ipynb')).text);
    // What nbconvert embeds is what the front ends of Jupyter read.
    const check = [
      'import json, nbformat, nbconvert, re, sys',
      'book = nbformat.read(sys.argv[1], 4)',
      'nbformat.validate(book)',
      'page, _ = nbconvert.HTMLExporter().from_notebook_node(book)',
      'state = json.loads(re.search(r\'<script type="application/vnd.jupyter.widget-state\\+json">(.*?)</script>\', page, re.S)[1])["state"]',
      'views = [json.loads(text) for text in re.findall(r\'<script type="application/vnd.jupyter.widget-view\\+json">(.*?)</script>\', page, re.S)]',
      'print([state[view["model_id"]]["model_name"] for view in views])',
    ].join('\n');
    const { stdout } = await promisify(execFile)(interpreter, ['-c', check, file]);
    assert.equal(stdout.trim(), "['IntTextModel', 'IntSliderModel', 'AnyModel']");

    const form = new FormData();
    form.set('file', new Blob([await fs.readFile(file)]), 'sent.ipynb');
    const answer = await fetch(`${server.address}/v1/notebooks/import`, { method: 'POST', body: form });
    const imported = z.object({ session_id: z.string() }).parse(await answer.json());
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    await page.goto(`${server.address}/#/notebook/${imported.session_id}`);
    const frames = page.locator('iframe');
    await frames.nth(0).contentFrame().getByLabel('Number').waitFor();
    await frames.nth(2).contentFrame().getByText('count is 4').waitFor();
    await picture(page, 'jupyter-widgets-imported');
  });

  it('are heard by the code of their cell while its process is kept, and no stored result changes', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await notebookWith(t, server, ['factor = 3', heard]);
    if (notebook === undefined) return;
    const before = await notebook.state();
    const page = await browser.newPage({ viewport: { width: 1100, height: 1000 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const controls = frameOf(page, 'heard');
    await controls.getByText('5 times 3 is 15').waitFor();
    await picture(page, 'jupyter-widgets-offered');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByText('This cell’s process is kept for its widgets.').waitFor();
    await picture(page, 'jupyter-widgets-kept');
    await controls.locator('.noUi-handle').press('ArrowRight');
    await controls.getByText('6 times 3 is 18').waitFor();
    await frameOf(page, 'heard', 1).getByRole('button', { name: 'Say it' }).click();
    await page.locator('.kept-printed').getByText('said from the cell').waitFor();
    assert.deepEqual((await notebook.state()).cells, before.cells);

    await page.getByRole('button', { name: 'Always in this notebook' }).click();
    await page.getByRole('button', { name: 'Not always' }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The process of these widgets has ended: it was let go.').waitFor();
    await picture(page, 'jupyter-widgets-ended');
    // In such a notebook it comes back as soon as it is needed.
    await controls.locator('.noUi-handle').press('ArrowRight');
    await controls.getByText('7 times 3 is 21').waitFor();
    assert.deepEqual(problems, []);
  });
});
