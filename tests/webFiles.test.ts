// A data file in a real browser: dropped on the page, listed, read in a new cell, replaced, deleted.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

/** As if it came from the desktop: browsers let no script make such a drag, but they hear this one. */
const drop = async (page: Page, name: string, text: string): Promise<void> => {
  const carried = await page.evaluateHandle(`(() => {
    const carried = new DataTransfer();
    carried.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    return carried;
  })()`);
  await page.dispatchEvent('body', 'dragover', { dataTransfer: carried });
  await page.getByText('Drop files to add them to this notebook').waitFor();
  await picture(page, 'files-dropping');
  await page.dispatchEvent('body', 'drop', { dataTransfer: carried });
};

describe('files on the page', () => {
  it('come by dropping or choosing, and a cell reads them', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('# @name maker\nimport os\nos.makedirs("charts")\nopen("charts/one.svg", "w").write("<svg/>")');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, acceptDownloads: true });
    const watched = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();

    await drop(page, 'sales.csv', 'city,units\nBonn,40\nUlm,2\n');
    const panel = page.getByRole('complementary', { name: 'Files' });
    // Its name stands there while it comes too.
    await panel.getByRole('button', { name: 'Read sales.csv in a new cell' }).waitFor();
    assert.equal(await readFile(path.join(notebook.path, 'work/sales.csv'), 'utf8'), 'city,units\nBonn,40\nUlm,2\n');

    // What cells write appears when they have run; a folder is entered and left again.
    await page
      .getByRole('listitem', { name: /^maker/ })
      .getByRole('button', { name: 'Run', exact: true })
      .click();
    await panel.getByRole('button', { name: 'charts' }).click();
    await panel.getByText('one.svg', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Files', exact: true }).click();

    // A name that is taken is asked about; choosing files is the other way.
    const choose = async (...names: string[]) => {
      const chooser = page.waitForEvent('filechooser');
      await panel.getByRole('button', { name: 'Upload files' }).click();
      const files = names.map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from('city,units\nJena,7\n'),
      }));
      await (await chooser).setFiles(files);
    };
    await choose('sales.csv', 'a very long name of a file that came from a report of last year.txt');
    await panel.getByText('There is a file sales.csv already').waitFor();
    await panel.getByText('a very long name').waitFor();
    await picture(page, 'files-light');
    await assertAccessible(page, 'the files of a notebook');
    // Chromium notes every refused request.
    assert.match(watched.problems.join(), /^Failed to load resource: .*409 \(Conflict\)$/);
    watched.forget();
    const replaced = page.waitForResponse(/overwrite=true/);
    await panel.getByRole('button', { name: 'Replace' }).click();
    assert.equal((await replaced).status(), 200);
    await panel.getByText('There is a file').waitFor({ state: 'detached' });
    assert.equal(await readFile(path.join(notebook.path, 'work/sales.csv'), 'utf8'), 'city,units\nJena,7\n');

    // A large file shows how far it is.
    const held = Promise.withResolvers<void>();
    await page.route(/files\/slow\.bin/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await choose('slow.bin');
    await panel.getByRole('progressbar', { name: 'Upload of slow.bin' }).waitFor();
    await picture(page, 'files-sending');
    await choose('unwanted.bin');
    await panel.getByRole('button', { name: 'Stop the upload of unwanted.bin' }).click();
    held.resolve();
    await panel.getByRole('button', { name: 'Read slow.bin in a new cell' }).waitFor();
    assert.equal(await panel.getByText('unwanted.bin').count(), 0);

    await panel.getByRole('button', { name: 'Read sales.csv in a new cell' }).click();
    await page.getByRole('listitem', { name: /^sales, python/ }).waitFor();
    const source = 'import pandas as pd\nsales = pd.read_csv("sales.csv")\nsales';
    assert.equal((await notebook.state()).cells.at(-1)?.source, source);

    await panel.getByRole('button', { name: 'More for sales.csv' }).click();
    await picture(page, 'files-menu');
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    assert.equal((await downloading).suggestedFilename(), 'sales.csv');
    await panel.getByRole('button', { name: 'More for sales.csv' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'files-delete-dark');
    await assertAccessible(page, 'the question before a file is deleted');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await panel.getByText('sales.csv', { exact: true }).waitFor({ state: 'detached' });
    await picture(page, 'files-dark');
    await page.setViewportSize({ width: 390, height: 780 });
    await picture(page, 'files-narrow');
    await assertFits(page, 'the files on a narrow page');
    assert.deepEqual(watched.problems, []);
    await page.close();
  });
});
