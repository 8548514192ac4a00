// Names across cells in a real browser: to the definition, to all uses, and another name everywhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('a name under the cursor', () => {
  it('leads to its definition by F12 and to its uses by Shift+F12, and is renamed everywhere by F2', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Names');
    await notebook.add('# @name make\nprices = [1, 2]\n\ndef mean(values):\n    return sum(values) / len(values)');
    await notebook.add('# @name other\nother = 1');
    await notebook.add('# @name use\nmean(prices)');
    const sources = async () => (await notebook.state()).cells.map(({ source }) => source);
    const before = await sources();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems, forget } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}`) });
    const toUse = async () => {
      await cell('use').locator('.code').first().click();
      await page.getByRole('textbox', { name: /^Source of use/ }).waitFor();
      await page.keyboard.press('ControlOrMeta+End');
      await page.keyboard.press('ArrowLeft');
    };

    await toUse();
    await page.keyboard.press('F12');
    await page.getByRole('textbox', { name: /^Source of make/ }).waitFor();
    // The cursor stands at the name: its uses are a key away, and one of them leads back.
    await page.keyboard.press('Shift+F12');
    const found = page.getByRole('dialog', { name: 'Uses of prices' });
    await found.getByRole('button', { name: 'use:2 mean(prices)' }).click();
    await page.getByRole('textbox', { name: /^Source of use/ }).waitFor();
    await page.keyboard.press('F12');
    await page.getByRole('textbox', { name: /^Source of make/ }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' ');
    await page.locator('.cm-line', { hasText: /^prices = \[1, 2\] $/ }).waitFor();
    await page.keyboard.press('Backspace');

    await toUse();
    await page.keyboard.press('Shift+F12');
    const uses = page.getByRole('dialog', { name: 'Uses of prices' });
    await uses.getByRole('button', { name: 'make:2 defines prices = [1, 2]' }).waitFor();
    await picture(page, 'uses-light');
    await assertAccessible(page, 'the uses of a name');
    await uses.getByRole('button', { name: 'use:2 mean(prices)' }).click();
    await page.getByRole('textbox', { name: /^Source of use/ }).waitFor();

    await toUse();
    await page.keyboard.press('F2');
    const rename = page.getByRole('dialog', { name: 'Rename prices' });
    await rename.getByLabel('New name').fill('mean');
    await rename.getByText('has the word `mean` already').waitFor();
    forget(); // the browser tells of every refusal
    await rename.getByLabel('New name').fill('costs');
    await rename.getByRole('button', { name: 'Rename in 2 cells' }).waitFor();
    await picture(page, 'rename-light');
    await assertAccessible(page, 'renaming a name');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'rename-dark-narrow');
    await assertAccessible(page, 'renaming a name, dark and narrow');
    await assertFits(page, 'renaming a name');
    await rename.getByRole('button', { name: 'Rename in 2 cells' }).click();
    await page.getByText('prices is costs in 2 cells.').first().waitFor();
    assert.deepEqual(
      await sources(),
      before.map((source) => source.replace('prices', 'costs')),
    );

    await page.setViewportSize({ width: 1280, height: 860 });
    await cell('other').click({ position: { x: 4, y: 4 } });
    const back = notebook.framesUntil(
      ({ type, payload }) => type === 'dag_update' && JSON.stringify(payload).includes('mean(prices)'),
    );
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid renaming prices to costs.').first().waitFor();
    await back;
    assert.deepEqual(await sources(), before);
    assert.deepEqual(problems, []);
  });
});
