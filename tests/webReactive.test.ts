// A reactive notebook in a real browser: turned on, followed, waited for, and turned off by taking it back.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('a reactive notebook on the page', () => {
  it('lets cheap cells follow while somebody types, and says of dear ones that they wait', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer({
      env: { SVC_NOTEBOOK_REACTIVE_CELL_SECONDS: '3', SVC_NOTEBOOK_REACTIVE_TOTAL_SECONDS: '60' },
    });
    const notebook = await createTestNotebook(server, 'Reactive');
    const first = await notebook.add('# @name start\nx = 1');
    const dear = await notebook.add('# @name dear\nimport time\ntime.sleep(3.1)\nprint("dear", x)');
    const cheap = await notebook.add('# @name cheap\nprint("cheap", x)');
    for (const id of [dear, cheap]) await notebook.run(id);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}`) });

    await page.getByRole('button', { name: 'Notebook', exact: true }).click();
    await page.getByRole('menuitem', { name: /Let cheap cells follow/ }).click();
    await page.getByRole('button', { name: 'Reactive', exact: true }).waitFor();
    assert.equal((await notebook.state()).reactive, true);

    await cell('start').locator('.code').first().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('0');
    await cell('cheap').getByText('cheap 10').waitFor();
    await cell('dear')
      .getByText(/^waits: took \d+(\.\d)? s last time$/)
      .waitFor();
    await picture(page, 'reactive-light');
    await assertAccessible(page, 'a cell that waits');
    await cell('dear').getByRole('button', { name: 'Run it' }).click();
    await cell('dear').getByText('dear 10').waitFor();
    await cell('dear')
      .getByText(/^waits:/)
      .waitFor({ state: 'detached' });

    await notebook.edit(first, '# @name start\nx = 7');
    await cell('cheap').getByText('cheap 7').waitFor();
    await cell('dear')
      .getByText(/^waits:/)
      .waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'reactive-dark-narrow');
    await assertAccessible(page, 'a cell that waits, dark and narrow');
    await page.setViewportSize({ width: 1280, height: 860 });

    await page.keyboard.press('Escape');
    await page.keyboard.press('z');
    await page.getByText('Undid making the notebook reactive.').first().waitFor();
    await page.getByRole('button', { name: 'Reactive', exact: true }).waitFor({ state: 'detached' });
    assert.equal((await notebook.state()).reactive, false);
    assert.deepEqual(problems, []);
  });
});
