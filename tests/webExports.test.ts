// Exported files, opened where people open them: pages in a real browser, without a server; notebooks with Jupyter's own
// programs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { bundleCell, figureCell, reprCell } from './kit/charts.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { displayEnvironment } from './kit/notebookEnvironment.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/5V7nVQAAAABJRU5ErkJggg==';
const points = {
  data: {
    values: [
      { a: 1, b: 2 },
      { a: 2, b: 3 },
    ],
  },
  mark: 'point',
  encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
};
const bars = {
  data: [{ type: 'bar', x: ['north', 'south'], y: [2, 3] }],
  layout: { title: { text: 'Sales </script>' } },
};
const cells = [
  figureCell('bars', bars),
  figureCell('space', { data: [{ type: 'scatter3d', x: [1, 2, 3], y: [1, 3, 2], z: [3, 1, 2] }] }),
  bundleCell('points', 'application/vnd.vegalite.v5+json', points),
  reprCell('formula', 'latex', '$\\sum_{i=1}^n i^2$'),
  reprCell(
    'styled',
    'html',
    '<table><tr><th>region</th></tr><tr><td>north</td></tr></table><script>document.body.append("drawn")</script>',
  ),
  `# @name photo\nimport base64\nclass Photo:\n    def _repr_png_(self):\n        return base64.b64decode("${pixel}")\nPhoto()`,
  '# @name sales\nimport pyarrow\npyarrow.table({"region": ["north"], "total": [662652.4]})',
  'value = {"a": [1, 2]}\nprint("\\r 50%\\r100%")\nvalue',
  '1 / 0',
];
const text =
  '# Findings\n\nWith **weight**, $e^x$ and <script>alert(1)</script>a [link](javascript:alert(1)).\n\n| a | b |\n|---|---|\n| 1 | 2 |';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Report');
  const { id } = Object((await notebook.request('POST', '/cells', { language: 'markdown' })).json);
  await notebook.edit(id, text);
  for (const source of cells) await notebook.run(await notebook.add(source));
});
after(() => server[Symbol.asyncDispose]());

async function exported(format: string): Promise<string> {
  const answer = await fetch(`${server.address}/v1/notebooks/${notebook.sessionId}/export?fmt=${format}`);
  assert.equal(answer.status, 200);
  return answer.text();
}

const fileFor = (name: string): string => path.join(path.dirname(notebook.path), name);

async function openFile(page: Page, html: string): Promise<void> {
  await fs.writeFile(fileFor('sent.html'), html);
  await page.goto(pathToFileURL(fileFor('sent.html')).href);
}

describe('an exported page', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows every output by itself, without asking anybody: ${colorScheme}`, async (t) => {
      await using browser = await openBrowser(t);
      if (!browser.ready) return;
      const page = await browser.newPage({ viewport: { width: 1000, height: 900 }, colorScheme });
      const { problems } = watchPage(page, () => 'file:');
      await openFile(page, await exported('html'));
      await page.locator('[data-chart="plotly"] .barlayer .point').first().waitFor();
      await page.locator('[data-chart="plotlyWhole"] .gl-container canvas').first().waitFor();
      await page.locator('[data-chart="vega"] svg').first().waitFor();
      await page.frameLocator('iframe').getByText('drawn').waitFor();
      // As tall as what is in it, and no taller.
      await page.waitForFunction('document.querySelector("iframe").clientHeight < 120');
      assert.equal(
        await page
          .locator('[data-chart="plotly"] .js-plotly-plot, [data-chart="plotly"].js-plotly-plot')
          .evaluate((at) => Number(Object(at).clientHeight)),
        450,
      );
      assert.deepEqual(
        {
          headings: await page.locator('h1, h2').allInnerTexts(),
          formulas: await page.locator('math').count(),
          bold: await page.locator('.markdown strong').allInnerTexts(),
          links: await page.locator('a').count(),
          row: await page.locator('.table tbody td').allInnerTexts(),
          picture: await page.locator('figure > img').evaluate((at) => Number(Object(at).naturalWidth)),
          printed: await page.locator('.text', { hasText: 'stdout' }).locator('pre').innerText(),
        },
        {
          headings: [
            'Notebook: Report',
            'Findings',
            'bars',
            'space',
            'points',
            'formula',
            'styled',
            'photo',
            'sales',
            'value',
            'cell 10',
          ],
          formulas: 2,
          bold: ['weight'],
          links: 0,
          row: ['north', '662652.4'],
          picture: 1,
          printed: '100%',
        },
      );
      if (process.env.SVC_TEST_SCREENSHOTS !== undefined)
        await page.screenshot({
          path: path.join(process.env.SVC_TEST_SCREENSHOTS, `export-${colorScheme}.png`),
          fullPage: true,
        });
      await assertAccessible(page, 'an exported page');
      assert.deepEqual(problems, []);
    });

  it('hides its code on demand, and prints in light', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const page = await browser.newPage({ colorScheme: 'dark' });
    await openFile(page, await exported('html'));
    const source = page.locator('.source').first();
    await source.locator('summary').click();
    assert.equal(await source.locator('pre').isVisible(), false);
    await page.getByLabel('Code').click();
    assert.equal(await source.isVisible(), false);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
    await picture(page, 'export-print');
  });

  it('without charts and pages it holds no script at all', async () => {
    const plain = await createTestNotebook(server, 'Plain');
    await plain.run(await plain.add('1'));
    const answer = await fetch(`${server.address}/v1/notebooks/${plain.sessionId}/export?fmt=html`);
    assert.doesNotMatch(await answer.text(), /<script|script-src/);
  });
});

describe('exported Markdown', () => {
  it('holds tables as tables, formulas as formulas, pictures, whole numbers and names', async () => {
    const markdown = await exported('markdown');
    const after = (heading: string): string =>
      markdown.split(`## ${heading}\n`)[1]?.split('\n## ')[0]?.split('```\n\n').slice(1).join('```\n\n').trim() ?? '';
    assert.deepEqual(
      Object.fromEntries(['bars', 'formula', 'styled', 'photo', 'sales'].map((name) => [name, after(name)])),
      {
        bars: '> Chart: Sales &lt;/script> (Plotly): it is drawn in the HTML export.',
        formula: '$$\n\\sum_{i=1}^n i^2\n$$',
        styled: '| region |\n|---|\n| north |',
        photo: `![Output](data:image/png;base64,${pixel})`,
        sales: '| region | total |\n|---|---|\n| north | 662652.4 |',
      },
    );
  });
});

describe('an exported Jupyter notebook', () => {
  it('is valid, carries what cells show in Jupyter’s own forms, and is taken by its programs', async (t) => {
    const interpreter = await displayEnvironment(t);
    if (interpreter === undefined) return;
    const book = JSON.parse(await exported('ipynb'));
    const file = fileFor('sent.ipynb');
    await fs.writeFile(file, JSON.stringify(book));
    const outputs: object[][] = book.cells.slice(1).map((cell: { outputs: object[] }) => cell.outputs);
    const data = outputs.map((list) => Object(list.find((output) => 'data' in output)).data ?? {});
    assert.deepEqual(
      data.map((bundle) => Object.keys(bundle)),
      [
        ['application/vnd.plotly.v1+json', 'text/plain'],
        ['application/vnd.plotly.v1+json', 'text/plain'],
        ['application/vnd.vegalite.v5+json', 'text/plain'],
        ['text/latex', 'text/plain'],
        ['text/html', 'text/plain'],
        ['image/png', 'text/plain'],
        ['text/html', 'text/plain'],
        ['application/json', 'text/plain'],
        [],
      ],
    );
    assert.deepEqual([data[0]['application/vnd.plotly.v1+json'], data[5]['image/png']], [bars, pixel]);
    assert.deepEqual(
      { ...outputs[8]?.[0], traceback: [] },
      { output_type: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero', traceback: [] },
    );
    const check = [
      'import nbformat, nbconvert, sys',
      'book = nbformat.read(sys.argv[1], 4)',
      'nbformat.validate(book)',
      'page, _ = nbconvert.HTMLExporter().from_notebook_node(book)',
      'print("662652.4" in page, "data:image/png;base64" in page, "ZeroDivisionError" in page)',
    ].join('\n');
    const { stdout } = await promisify(execFile)(interpreter, ['-W', 'error::UserWarning', '-c', check, file]);
    assert.equal(stdout.trim(), 'True True True');
  });
});
