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
  reprCell(
    'tall',
    'html',
    '<style>html, body { height: 100% }</style><div style="height: 300px">as tall as its window</div>',
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
      await page.frameLocator('iframe >> nth=0').getByText('drawn').waitFor();
      // As tall as what is in it, and no taller, once it is in sight: a browser draws no frame that nobody sees.
      await page.locator('iframe').first().scrollIntoViewIfNeeded();
      await page.waitForFunction('document.querySelector("iframe").clientHeight < 120');
      await page.locator('iframe').last().scrollIntoViewIfNeeded();
      await page.waitForFunction('[...document.querySelectorAll("iframe")].at(-1).clientHeight >= 300');
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
            'tall',
            'photo',
            'sales',
            'value',
            'cell 11',
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
      Object.fromEntries(['space', 'formula', 'styled', 'photo', 'sales'].map((name) => [name, after(name)])),
      {
        space:
          '> A chart (Plotly): it is drawn in the HTML export. These are its data.\n\n**Trace 1 (scatter3d)**\n\n| x | y | z |\n|---|---|---|\n| 1 | 1 | 3 |\n| 2 | 3 | 1 |\n| 3 | 2 | 2 |',
        formula: '$$\n\\sum_{i=1}^n i^2\n$$',
        styled: '| region |\n|---|\n| north |',
        photo: `![Output](data:image/png;base64,${pixel})`,
        sales: '| region | total |\n|---|---|\n| north | 662652.4 |',
      },
    );
  });
});

describe('long tables in exports', () => {
  it('say how many rows there are and how many are shown; a page has more of them', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const long = await createTestNotebook(server, 'Long');
    for (const rows of [300, 50])
      await long.run(
        await long.add(
          `# @name rows_${rows}\nimport pyarrow\npyarrow.table({"n": range(${rows}), "half": [n / 2 for n in range(${rows})]})`,
        ),
      );
    const read = async (format: string) =>
      (await fetch(`${server.address}/v1/notebooks/${long.sessionId}/export?fmt=${format}`)).text();
    const page = await browser.newPage();
    await openFile(page, await read('html'));
    assert.deepEqual(
      {
        rows: await page.locator('table').evaluateAll((all) => all.map((one) => Object(one).rows.length - 1)),
        last: await page.locator('table').first().locator('tr').last().locator('td').allInnerTexts(),
        notes: await page.locator('.note').allInnerTexts(),
      },
      { rows: [200, 50], last: ['199', '99.5'], notes: ['…showing 200 of 300 rows'] },
    );
    await page
      .locator('.table')
      .first()
      .evaluate((at) => Object(at).scrollTo(0, 300));
    await picture(page, 'export-long-table');
    await assertAccessible(page, 'a long table in an exported page');
    const markdown = await read('markdown');
    assert.deepEqual(
      [markdown.match(/^\| \d+ \|/gm)?.length, markdown.match(/^…showing .*$/gm)],
      [40, ['…showing 20 of 300 rows', '…showing 20 of 50 rows']],
    );
  });
});

describe('charts in exported Markdown', () => {
  it('are pictures that a browser shows, with what the chart says in them', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const markdown = await exported('markdown');
    const pictures = [...markdown.matchAll(/!\[([^\]]*)\]\(data:image\/svg\+xml;base64,([^)]*)\)/g)].map(
      ([, words = '', data = '']) => ({ words, svg: Buffer.from(data, 'base64').toString() }),
    );
    const page = await browser.newPage({ viewport: { width: 900, height: 1000 } });
    const seen = [];
    for (const { words, svg } of pictures) {
      await page.setContent(`<img alt="" src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`);
      await page.waitForFunction('document.images[0].complete');
      const width = Number(await page.evaluate('document.images[0].naturalWidth'));
      await picture(page, `markdown-chart-${seen.length}`);
      const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
      const has = ['north', 'south', 'Sales', 'a', 'b'].filter((text) => texts.includes(text));
      seen.push({
        words,
        isThere: width > 100,
        has,
        marks: (svg.match(/aria-roledescription="(bar|point)"/g) ?? []).length,
      });
    }
    assert.deepEqual(seen, [
      { words: 'Chart: Sales &lt;/script> (Plotly)', isThere: true, has: ['north', 'south', 'Sales'], marks: 2 },
      { words: 'A chart (Vega)', isThere: true, has: ['a', 'b'], marks: 2 },
    ]);
  });

  it('read no file and ask no host for their data; what cannot be drawn then is said, never left empty', async () => {
    const far = await createTestNotebook(server, 'Far');
    const stolen = { ...points, data: { url: 'file:///etc/passwd' } };
    const endless = { ...points, data: { sequence: { start: 0, stop: 1e12 } } };
    for (const [name, spec] of Object.entries({ stolen, endless }))
      await far.run(await far.add(bundleCell(name, 'application/vnd.vegalite.v5+json', spec)));
    const map = { data: [{ type: 'choropleth', locations: ['FRA'], z: [3] }] };
    await far.run(await far.add(figureCell('map', map)));
    const answer = await fetch(`${server.address}/v1/notebooks/${far.sessionId}/export?fmt=markdown`);
    const notes = (await answer.text()).split('\n').filter((line) => /^[>|]/.test(line));
    const drawn = '> A chart (Vega): it is drawn in the HTML export.';
    assert.deepEqual(notes, [
      drawn,
      drawn,
      '> A chart (Plotly): This figure holds a map (choropleth), which would have to be fetched from elsewhere: it is not drawn here. These are its data.',
      '| locations | z |',
      '|---|---|',
      '| FRA | 3 |',
    ]);
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
        ['text/html', 'text/plain'],
        ['image/png', 'text/plain'],
        ['text/html', 'text/plain'],
        ['text/plain'],
        [],
      ],
    );
    assert.deepEqual([data[0]['application/vnd.plotly.v1+json'], data[6]['image/png']], [bars, pixel]);
    assert.deepEqual(
      { ...outputs[9]?.[0], traceback: [] },
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
