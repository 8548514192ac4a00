// An hour of work in a real browser: things that everyone does with a notebook, and that have to go without a second thought.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import type { Frame } from './kit/socket.ts';
import { until } from './kit/until.ts';

const cell = (page: Page, name: RegExp) => page.getByRole('listitem', { name }).first();

async function openPage(page: Page, address: string, { sessionId }: TestNotebook): Promise<void> {
  await page.goto(`${address}/#/notebook/${sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await cell(page, /./).waitFor();
}

describe('an hour of work', () => {
  it('goes without a second thought', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('# @name load\nimport time\nnumbers = [3, 1, 2]');
    await notebook.add('# @name total\nsum(numbers)');
    await notebook.add('# @name table\nimport pyarrow as pa\nsales = pa.table({"units": [40, 2]})');
    await notebook.add('# @name other\n"on its own"');
    await notebook.add(
      String.raw`# @name bar
import sys, time
for i in range(4):
    sys.stderr.write(f"\r{i}/3 done"); sys.stderr.flush()
sys.stderr.write("\n")
time.sleep(600)`,
    );
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await openPage(page, server.address, notebook);
    const run = (name: RegExp) => cell(page, name).getByRole('button', { name: 'Run', exact: true }).click();

    // A question may stand while other cells run; its answer holds all the same.
    await run(/^total/);
    await cell(page, /^total/)
      .getByRole('alertdialog')
      .getByText('load')
      .waitFor();
    await picture(page, 'notebook-cascade');
    await run(/^other/);
    await cell(page, /^other, python, ready/).waitFor();
    await cell(page, /^total/)
      .getByRole('button', { name: 'Run 2 cells' })
      .click();
    await cell(page, /^total, python, ready/)
      .getByText('6', { exact: true })
      .waitFor();

    // A bar that writes over its own line is one line, and stays when the run was stopped.
    await run(/^bar/);
    const bar = cell(page, /^bar/).getByRole('region', { name: 'Printed to stderr' });
    await bar.getByText('3/3 done', { exact: true }).waitFor();
    await cell(page, /^bar/).getByRole('button', { name: 'Stop' }).click();
    await cell(page, /^bar, python, stopped after/).waitFor();
    await page.keyboard.press('b');
    await page.locator('[role=listitem]:focus[aria-setsize="6"]').waitFor();
    assert.equal((await bar.innerText()).trim(), '3/3 done');

    // A query finds the table of a cell by its name.
    await cell(page, /^table/)
      .getByRole('button', { name: 'Run', exact: true })
      .click();
    await cell(page, /^table, python, ready/).waitFor();
    await page.locator('.add-row').getByRole('button', { name: 'SQL', exact: true }).click();
    await page.keyboard.type('SELECT sum(units) AS units FROM sales');
    await page.keyboard.press('Control+Enter');
    await cell(page, /^result, sql, ready/)
      .getByText('42', { exact: true })
      .waitFor();

    // Whoever loads the page again is where they were.
    await cell(page, /^other/).click({ position: { x: 4, y: 4 } });
    await page.reload();
    await page.locator('[role=listitem].selected[aria-label^="other"]').waitFor();

    await page.keyboard.press('2');
    await page.locator('.graph-node', { hasText: 'load' }).waitFor();
    await picture(page, 'notebook-graph');
    await assertFits(page, 'a notebook');
    assert.equal(await page.evaluate('document.documentElement.scrollHeight - window.innerHeight'), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('runs a cell that waits for its turn as it was asked to: without the cache where that was said', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('# @name first\ninput("Go on? ")');
    const waits = await notebook.add('# @name second\n6 * 7');
    await notebook.run(waits);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await openPage(page, server.address, notebook);
    const second = cell(page, /^second/);
    const first = cell(page, /^first/).getByLabel('Go on?');
    for (const keys of [['Control+Shift+Enter'], ['Control+Enter', 'Control+Shift+Enter', 'Control+Enter']]) {
      await cell(page, /^first/)
        .getByRole('button', { name: 'Run', exact: true })
        .click();
      await first.waitFor();
      await second.click({ position: { x: 4, y: 4 } });
      for (const key of keys) await page.keyboard.press(key);
      await second.getByText('waits for its turn').waitFor();
      const isGiven = ({ payload }: Frame) => payload.cell_id === waits && 'cache_hit' in payload;
      const ran = notebook.framesUntil(isGiven);
      await first.press('Enter');
      assert.equal((await ran).find(isGiven)?.payload.cache_hit, false, `after ${keys.join(', ')}`);
    }
    await page.close();
  });

  it('begins an empty notebook with a key, and keeps a long name within its cell', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const page = await browser.newPage({ viewport: { width: 640, height: 600 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('This notebook has no cells yet.').waitFor();
    await page.keyboard.press('b');
    await page.locator('[role=listitem]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(`# @name ${'x'.repeat(90)}`);
    const name = page.locator('.cell-name');
    await name.waitFor();
    const [words, whole] = [await name.boundingBox(), await cell(page, /./).boundingBox()];
    assert.ok(words && whole && words.x + words.width <= whole.x + whole.width, 'the name ends within the cell');
    await page.close();
  });

  it('keeps the cursor where somebody types while the cell gets its name, and where they left it for when they come back by a key', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('# one\n# two\n# three');
    const page = await browser.newPage({ viewport: { width: 1280, height: 600 } });
    await openPage(page, server.address, notebook);
    await page.getByText('# one').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\ntotal = 1\nrest');
    await cell(page, /^total/).waitFor();
    await page.keyboard.type(' = 2');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Source of total' }).waitFor();
    await page.keyboard.type('0');
    await page.keyboard.press('Shift+Enter');
    await notebook.framesUntil(({ type, payload }) => type === 'cell_status' && Object(payload).status === 'ready');
    assert.equal((await notebook.cell(id)).source, '# one\n# two\n# three\ntotal = 1\nrest = 20');
  });

  it('saves what is written into a cell while it runs, when the run is over', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const source = '# @name long\nimport os, time\nwhile not os.path.exists("go"):\n    time.sleep(0.05)';
    const id = await notebook.add(source);
    const page = await browser.newPage({ viewport: { width: 1280, height: 600 } });
    await openPage(page, server.address, notebook);
    await cell(page, /^long/).locator('.code').first().click();
    await page.keyboard.press('Control+Enter');
    await cell(page, /^long/).getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\n1');
    await page.getByText('This cell is running. Your text is kept here and saved when the run is over.').waitFor();
    assert.equal((await notebook.cell(id)).source, source);
    await fs.writeFile(path.join(notebook.path, 'work', 'go'), '');
    await page.getByText('saved', { exact: true }).waitFor();
    await until(async () => (await notebook.cell(id)).source === `${source}\n    1`, 'it is saved');
    assert.equal(await page.locator('.conflict').count(), 0);
  });
});
