// Second thoughts in a real browser: a deletion is taken back with what the cell gave, and a run is stopped.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('second thoughts', () => {
  it('bring a cell back with its result, and stop one that takes too long', { timeout: 120_000 }, async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const slow = await notebook.add('# @name slow\nimport time\nprint("on its way", flush=True)\ntime.sleep(600)');
    const quick = await notebook.add('# @name quick\nprint("counted")\n6 * 7');
    const other = await notebook.add('# @name other\n"kept"');
    for (const id of [quick, other]) await notebook.run(id);
    const before = (await notebook.state()).cells;

    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    await page.getByText('connected', { exact: true }).waitFor();
    await cell(/^quick, python, ready/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await page.getByText('2 cells deleted').first().waitFor();
    await cell(/^other/).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await cell(/^quick, python, ready/)
      .getByText('42', { exact: true })
      .waitFor();
    await cell(/^quick/)
      .getByText('counted', { exact: true })
      .waitFor();
    await cell(/^other, python, ready/).waitFor();
    await page.getByText('Taken back: deleting 2 cells.').first().waitFor();
    assert.deepEqual((await notebook.state()).cells, before);

    await cell(/^slow/).getByRole('button', { name: 'Run', exact: true }).click();
    await cell(/^slow, python, running/)
      .getByText('on its way', { exact: true })
      .waitFor();
    await cell(/^slow/).getByRole('button', { name: 'Stop' }).click();
    await cell(/^slow, python, stopped after/)
      .getByText(/^stopped after/)
      .waitFor();
    await picture(page, 'notebook-stopped');
    await assertAccessible(page, 'a stopped cell');
    const frames = notebook.framesUntil(({ payload }) => payload.cell_id === slow && payload.status === 'running');
    await cell(/^slow/).getByRole('button', { name: 'Run again' }).click();
    await frames;
    await notebook.request('POST', `/cells/${slow}/cancel`);
    assert.deepEqual(problems, []);
    await page.close();
  });
});
