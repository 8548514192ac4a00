// Names that several cells write, made explicit in a real browser: from the import report and from the palette, and taken back.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

const cells = [
  'df = [3, None, 4]',
  'df = [one for one in df if one]\nprint(len(df))',
  'print(sum(df))',
  'df = sorted(df)  # for the table\ndf',
].map((source) => ({ cell_type: 'code', source, outputs: [] }));

async function imported(page: Page, address: string): Promise<void> {
  await page.goto(address);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import' }).first().click();
  const buffer = Buffer.from(JSON.stringify({ nbformat: 4, metadata: {}, cells }));
  await (await chooser).setFiles({ name: 'Reused.ipynb', mimeType: 'application/json', buffer });
}

describe('a name that several cells write', () => {
  it('is made explicit from the import report after a look, and taken back in one step', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await imported(page, server.address);
    const report = page.getByRole('dialog', { name: 'What the import changed' });
    const line = report.getByRole('listitem').filter({ hasText: 'df is made by cells 1, 2, 4' });
    await line.getByText('cell 3 reads that of cell 2').waitFor();
    await picture(page, 'explicit-report');
    await assertAccessible(page, 'the report of an import with ambiguous names');
    await line.getByRole('button', { name: 'Make df explicit' }).click();

    const dialog = page.getByRole('dialog', { name: 'Make df explicit' });
    await dialog.getByText('df is df_2 from').waitFor();
    const changes = dialog.getByRole('region', { name: 'What changes, by cell' });
    assert.deepEqual(await changes.locator('pre').allInnerTexts(), [
      'df = [one for one in df if one]\ndf_2 = [one for one in df if one]',
      'print(len(df))\nprint(len(df_2))',
      'print(sum(df))\nprint(sum(df_2))',
      'df = sorted(df)  # for the table\ndf_3 = sorted(df_2)  # for the table',
      'df\ndf_3',
    ]);
    await picture(page, 'explicit-preview');
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'explicit-preview-dark');
    await assertAccessible(page, 'the look at a name, dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 360, height: 740 });
    await assertFits(page, 'the look at a name, narrow');
    await picture(page, 'explicit-preview-narrow');
    await page.setViewportSize({ width: 1280, height: 860 });

    await dialog.getByRole('button', { name: 'Rename in 3 cells' }).click();
    await page.getByText('df is explicit in 3 cells.').first().waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('df_3 = sorted(df_2)').waitFor();
    await page
      .locator('[role=listitem]')
      .first()
      .click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('z');
    await page.getByText('Taken back: making df explicit.').first().waitFor();
    await page.getByText('df = sorted(df)').waitFor();
    assert.equal(await page.getByText('df_2').count(), 0);
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('is found at the cursor, chosen in the palette, and looked at again when somebody wrote meanwhile', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const first = await notebook.add('total = 1');
    const second = await notebook.add('total = total + 1');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems, forget } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page
      .getByRole('listitem', { name: /^total/ })
      .first()
      .click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: /^Source of total/ }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search commands and cells' }).fill('explicit');
    await page.getByRole('option', { name: /^Make total explicit/ }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Make total explicit' });
    const rename = dialog.getByRole('button', { name: 'Rename in 1 cell' });
    await rename.waitFor();
    const told = page.waitForResponse((answer) => answer.url().includes('/names/explicit?'));
    await notebook.edit(first, 'total = 10');
    await page.getByText('total = 10').waitFor();
    await rename.click();
    await dialog.getByText('The notebook was changed since this was looked at; look at it again').waitFor();
    await told;
    forget();
    await rename.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('total_2 = total + 1').waitFor();
    assert.equal((await notebook.cell(second)).source, 'total_2 = total + 1');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
