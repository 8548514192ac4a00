// Changes of several cells at once in a real browser: names that several cells write are made explicit, cells that only work as one are
// joined; looked at before, and taken back in one step.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

const reused = [
  'df = [3, None, 4]',
  'df = [one for one in df if one]\nprint(len(df))',
  'print(sum(df))',
  'df = sorted(df)  # for the table\ndf',
];

async function imported(page: Page, address: string, sources: readonly string[]): Promise<void> {
  await page.goto(address);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import' }).first().click();
  const cells = sources.map((source) => ({ cell_type: 'code', source, outputs: [] }));
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
    await imported(page, server.address, reused);
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
    await page.getByText('Undid making df explicit.').first().waitFor();
    await page.getByText('df = sorted(df)').waitFor();
    await page.getByText('df_2').first().waitFor({ state: 'detached' });
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

describe('cells that only work as one', () => {
  it('say so before the run, are joined with one press, and taken back', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const maker = 'open("log.txt", "w").close()\nG = (n * n for n in range(9))';
    await notebook.add(maker);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    await cell(/^G/).getByRole('button', { name: 'Run', exact: true }).click();
    await cell(/^G, python, ready/).waitFor();
    const reader = await notebook.add('total = sum(G)\ntotal');
    const notice = cell(/^total, python, idle/).getByRole('region', { name: 'Cells to be joined' });
    await notice.getByText('G is a generator and cannot be kept: join these cells').waitFor();
    await picture(page, 'join-before');
    await assertAccessible(page, 'a cell that has to be joined');
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'join-before-dark');
    await assertAccessible(page, 'a cell that has to be joined, dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 360, height: 740 });
    await assertFits(page, 'a cell that has to be joined, narrow');
    await picture(page, 'join-before-narrow');
    await page.setViewportSize({ width: 1280, height: 860 });

    // The cell that makes it fails once somebody reads it, and offers the same.
    const { status } = await notebook.run(reader);
    assert.equal(status, 'error');
    const failed = cell(/^G, python, error/).getByRole('region', { name: 'Cells to be joined' });
    await failed.getByText('this one and total').waitFor();
    await picture(page, 'join-failed');
    await failed.getByRole('button', { name: 'Join cells' }).click();
    await page.getByText('2 cells are one now.').first().waitFor();
    await cell(/^total/).waitFor({ state: 'detached' });
    await cell(/^G/).getByText('total = sum(G)').waitFor();
    await cell(/^G/).getByRole('button', { name: /^Run/ }).click();
    await cell(/^G, python, ready/)
      .getByText('204', { exact: true })
      .waitFor();
    assert.equal(await page.getByRole('region', { name: 'Cells to be joined' }).count(), 0);

    await cell(/^G/).click({ position: { x: 4, y: 4 } });
    const written = notebook.framesUntil(({ type }) => type === 'dag_update');
    await page.keyboard.press('z');
    await page.getByText('Undid joining cells.').first().waitFor();
    await cell(/^total/).waitFor();
    await written;
    assert.deepEqual(
      (await notebook.state()).cells.map(({ source }) => source),
      [maker, 'total = sum(G)\ntotal'],
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('are told by the import of a figure that is continued, and joined from its report', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    const sources = ['fig, ax = plt.subplots()', 'ax.plot([1, 2])', 'n = 1', 'ax.set_title("Both")\nfig'];
    await imported(page, server.address, sources);
    const report = page.getByRole('dialog', { name: 'What the import changed' });
    await report.getByText('continues the figure fig of cell 1').last().waitFor();
    await picture(page, 'join-report');
    await assertAccessible(page, 'a report with a figure that is continued');
    await report.getByRole('button', { name: 'Join cells' }).last().click();
    await page.getByText('3 cells are one now.').first().waitFor();
    await page.getByRole('listitem', { name: /^ax/ }).getByText('ax.set_title').waitFor();
    assert.equal(await page.getByRole('listitem', { name: /python/ }).count(), 2);
    assert.deepEqual(problems, []);
    await page.close();
  });
});
