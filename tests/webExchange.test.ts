// Bringing notebooks in and taking them along, in a real browser.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

const book = {
  nbformat: 4,
  metadata: {},
  cells: [
    { cell_type: 'markdown', source: '# Brought in' },
    {
      cell_type: 'code',
      source: 'x = 6 * 7\nx',
      outputs: [{ output_type: 'stream', name: 'stdout', text: 'from before' }],
    },
  ],
};

describe('import and export', () => {
  it('a Jupyter notebook comes in, runs, leaves as a snapshot and comes back with its results', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, acceptDownloads: true });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(server.address);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).first().click();
    const file = { name: 'Old one.ipynb', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(book)) };
    await (await chooser).setFiles(file);
    await page.getByRole('heading', { name: 'Brought in' }).waitFor();
    const mark = page.getByText('Imported: shown as it came, not run here yet.');
    await page.getByText('from before').waitFor();
    assert.equal(await mark.count(), 1);
    await picture(page, 'imported-outputs');
    await page
      .getByRole('contentinfo')
      .getByText(/Python \d/)
      .waitFor();
    await page.getByRole('listitem', { name: /^x,/ }).getByRole('button', { name: /^Run/ }).click();
    await page
      .getByRole('listitem', { name: /^x, python, ready/ })
      .getByText('42', { exact: true })
      .waitFor();
    assert.deepEqual([await mark.count(), await page.getByText('from before').count()], [0, 0]);
    await picture(page, 'imported');

    await page.getByRole('button', { name: 'Notebook', exact: true }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export a snapshot with results' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'Old one.snapshot.zip');
    const bytes = await fs.readFile(await saved.path());

    await page.goto(`${server.address}/#/`);
    const again = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).first().click();
    await (await again).setFiles({ name: 'Second.snapshot.zip', mimeType: 'application/zip', buffer: bytes });
    const report = page.getByRole('dialog', { name: 'What the import changed' });
    await report.getByText('2 cells came in, 1 of them with results: 1 stored value.').waitFor();
    await report.getByText('Another notebook here has the snapshot’s identity').waitFor();
    await picture(page, 'snapshot-report');
    await report.getByRole('button', { name: 'Go on' }).click();
    await page
      .getByRole('listitem', { name: /^x, python, ready/ })
      .getByText('42', { exact: true })
      .waitFor();
    assert.deepEqual(problems, []);
  });

  it('an import tells what it changed in which cell', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(server.address);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).first().click();
    const source = '%matplotlib inline\n!ls -la\nimport six\ntotal = 1;';
    const cells = [
      { cell_type: 'code', source, outputs: [] },
      { cell_type: 'raw', source: 'x' },
    ];
    const buffer = Buffer.from(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    await (await chooser).setFiles({ name: 'Magic.ipynb', mimeType: 'application/json', buffer });
    const report = page.getByRole('dialog', { name: 'What the import changed' });
    await report.getByText('1 code and 0 text cells came in; 1 raw cell did not.').waitFor();
    await picture(page, 'import-report');
    const rows = await report.locator('dd').allInnerTexts();
    assert.deepEqual(rows, [
      '%matplotlib rewritten as plain Python',
      '!ls -la kept as it is; it works here',
      'shows nothing, as its last line ended in a semicolon',
    ]);
    await report.getByRole('button', { name: 'Go on' }).click();
    await page.reload();
    await page.getByRole('listitem', { name: /python/ }).waitFor();
    assert.equal(await report.count(), 0);
    await page.getByRole('button', { name: 'Notebook', exact: true }).click();
    await page.getByRole('menuitem', { name: 'What the import changed' }).click();
    await report.waitFor();
    assert.deepEqual(problems, []);
  });

  it('files that came with a notebook are offered where its cells name them, and brought when said yes', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-brought-'));
    const source = 'open("data/prices.csv").read() + open("rates.csv").read() + open("gone.csv").read()';
    const cells = [{ cell_type: 'code', source: `import six\n${source}`, outputs: [] }];
    await fs.mkdir(path.join(folder, 'data'));
    await fs.writeFile(path.join(folder, 'Trade.ipynb'), JSON.stringify({ nbformat: 4, metadata: {}, cells }));
    await fs.writeFile(path.join(folder, 'requirements.txt'), 'six==1.16.0\n');
    await fs.writeFile(path.join(folder, 'data/prices.csv'), '12');
    await fs.writeFile(path.join(folder, 'rates.csv'), '345');
    await fs.writeFile(path.join(folder, 'unused.csv'), 'unused');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(server.address);
    await page.getByRole('heading', { name: 'Notebooks', exact: true }).waitFor();
    await dropFolder(page, folder);
    const report = page.getByRole('dialog', { name: 'What the import changed' });
    const files = report.getByRole('region', { name: 'Files that cells name' });
    await report.getByText('six==1.16.0').waitFor();
    assert.deepEqual(await files.getByRole('listitem').allInnerTexts(), [
      'data/prices.csv\n2 B\ncell 1',
      'rates.csv\n3 B\ncell 1',
      'gone.csv did not come with the notebook; upload it in Files\ncell 1',
    ]);
    await picture(page, 'import-files');
    await files.getByRole('checkbox', { name: /rates/ }).uncheck();
    await files.getByRole('button', { name: 'Bring 1 file along (2 B)' }).click();
    await page.getByRole('button', { name: 'data' }).click();
    await page.getByText('prices.csv', { exact: true }).waitFor();
    await picture(page, 'import-files-brought');
    const [{ path: notebook = '' } = {}] = Object((await server.rest.get('/v1/notebooks/sessions')).json).sessions;
    const brought = await fs.readdir(path.join(notebook, 'work'), { recursive: true });
    assert.deepEqual([brought.toSorted(), problems], [['data', 'data/prices.csv'], []]);
  });
});

/** As a person drops a folder: the files are taken from the disk by the browser itself. */
async function dropFolder(page: Page, folder: string): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await client.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data });
}
