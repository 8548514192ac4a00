// The web app where things are large, far away, or seen with other eyes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertFits, picture } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('the web app', () => {
  it('shows texts of any size at once, and says why one is not saved', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.run(await notebook.add('# @name printed\nprint("y" * 900_000)'));
    await notebook.add(`# @name long\n${'x = 1\n'.repeat(2999)}`);
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const printed = page.getByRole('listitem', { name: /^printed/ });
    await printed.getByRole('button', { name: 'Show all of it' }).waitFor();
    assert.equal((await printed.locator('.console pre').innerText()).length, 20_000);
    await printed.getByRole('button', { name: 'Show all of it' }).click();
    await printed.getByRole('region', { name: 'Printed' }).getByText('y'.repeat(2000)).first().waitFor();
    await printed.getByRole('button', { name: 'Show the end only' }).click();

    const long = page.getByRole('listitem', { name: /^long/ });
    await page.keyboard.press('Escape');
    await printed.focus();
    await page.keyboard.press('j');
    await long.getByText('… and 2,500 more lines').waitFor();
    assert.equal(await long.locator('.line').count(), 500);
    await page.keyboard.press('Enter');
    await long.locator('.cm-content').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('z'.repeat(1_000_001));
    await long.getByText('A cell holds at most 1,000,000 characters of source. Your text is kept here.').waitFor();
    await page.close();
  });

  it('texts that two people write into one cell at once stand side by side', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('x = 1');
    const pages = [await browser.newPage(), await browser.newPage()];
    for (const page of pages) {
      await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
      await page.getByText('connected', { exact: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.cm-content').waitFor();
      await page.keyboard.press('Control+End');
    }
    await Promise.all(pages.map((page, index) => page.keyboard.type(`\nfrom_${index} = ${index}`)));
    const conflict = (page: Page) => page.getByText('This cell was changed elsewhere while you were typing.');
    const late = await Promise.any(
      pages.map((page) =>
        conflict(page)
          .waitFor()
          .then(() => page),
      ),
    );
    const { source } = await notebook.cell(id);
    await late.locator('figure', { hasText: 'Theirs' }).getByText(source, { exact: true }).waitFor();
    const own = source.includes('from_0') ? 'from_1 = 1' : 'from_0 = 0';
    await late.locator('figure', { hasText: 'Yours' }).getByText(own).waitFor();
    await late.getByRole('button', { name: 'Keep yours' }).click();
    await late.getByText('saved', { exact: true }).waitFor();
    assert.equal((await notebook.cell(id)).source, `x = 1\n${own}`);
    for (const page of pages) await page.close();
  });

  it('tells readers what is old and that nobody answers', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('# @name answer\n41');
    await notebook.run(id);
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
    await page.getByText('41', { exact: true }).waitFor();
    assert.equal(await page.getByText('not up to date').count(), 0);
    await notebook.edit(id, '# @name answer\n42');
    await page.getByText('not up to date').waitFor();
    await server.stop('SIGKILL');
    await page.getByText('Not connected: this is what the notebook showed last').waitFor();
    await picture(page, 'app-offline');
    await assertFits(page, 'app, offline');
    await page.close();
  });

  it('keeps what was typed and where one was', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('# @name above\nvalue = 2');
    await notebook.add('# @name below\nvalue * 2');
    const page = await browser.newPage();
    await page.goto(server.address);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New notebook' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('up/../and away');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'up/../and away');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open by path' }).click();
    await dialog.getByRole('textbox').fill('not/here');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await dialog.getByRole('textbox').inputValue(), 'not/here');
    await dialog.getByRole('textbox').fill(notebook.path);
    await page.keyboard.press('Enter');

    const below = page.getByRole('listitem', { name: /^below/ });
    await below.waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    await below.focus();
    await page.keyboard.press('Control+Enter');
    const asked = page.getByRole('alertdialog', { name: 'Cells above must run first' });
    await asked.getByRole('button', { name: 'Run 2 cells' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('listitem', { name: /^below, python, ready/ }).waitFor();
    assert.equal(await page.evaluate("document.activeElement.classList.contains('cell')"), true);
    await page.close();
  });

  it('shows where one is without colours of its own', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.run(await notebook.add('one = 1'));
    const page = await browser.newPage({ forcedColors: 'active' });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const cell = page.getByRole('listitem', { name: /^one/ });
    await cell.waitFor();
    await page.keyboard.press('Escape');
    await cell.focus();
    await picture(page, 'forced-colours');
    const style = (selector: string, name: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
    assert.equal(await style('.cell', 'outlineStyle'), 'solid');
    assert.notEqual(await style('.cell .dot', 'backgroundColor'), await style('body', 'backgroundColor'));
    await page.close();
  });
});
