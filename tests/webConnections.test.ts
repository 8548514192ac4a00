// Where the data of a notebook lies, set from its page: mounts that are tested before they are saved, and a database that is dropped
// on the page, connected, looked through and queried.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('a folder is mounted after a test, and taken away again', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Mounts');
  const written = () => fs.readFileSync(path.resolve(server.home, notebook.path, 'notebook.toml'), 'utf8');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-mount-'));
  for (const name of ['a.txt', 'b.txt']) fs.writeFileSync(path.join(folder, name), name);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Settings' });
  await panel.getByRole('button', { name: /^Mounts/ }).click();
  const form = panel.getByRole('form', { name: 'Mounts' });
  await form.getByRole('button', { name: 'Add a mount' }).click();
  assert.equal(await form.getByText('has no name').count(), 0);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('The new mount has no name').waitFor();
  await form.getByLabel('Name').fill('data');
  await form.getByLabel('Address').fill('https://example.org');
  await form.getByText(/^data: write an address such as s3/).waitFor();
  await form.getByLabel('Address').fill(`file://${folder}/nowhere`);
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByText(/^There is no file or folder at/).waitFor();
  await form.getByLabel('Address').fill(`file://${folder}`);
  await form.getByRole('button', { name: 'Test' }).click();
  await form.getByText('It opens: 2 files.').waitFor();
  await picture(page, 'mounts-light');
  await assertAccessible(page, 'a mount');
  assert.doesNotMatch(written(), /"data"/);
  await form.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('status').filter({ hasText: 'Not saved' }).waitFor({ state: 'detached' });
  assert.match(written(), /name = "data"/);
  const reader = await notebook.add('sorted(one.name for one in data.iterdir())');
  assert.deepEqual((await notebook.run(reader)).display?.preview, ['a.txt', 'b.txt']);

  await form.getByRole('button', { name: 'Remove data' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await until(() => !written().includes('"data"'), 'the mount to be gone');
  await panel.getByRole('heading', { name: 'Settings' }).click();
  await page.keyboard.press('Control+z');
  await form.getByRole('button', { name: 'Edit data' }).waitFor();
  assert.match(written(), /name = "data"/);
  // The browser tells of the test that failed.
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('400')),
    [],
  );
  await page.close();
  fs.rmSync(folder, { recursive: true });
});

it('a database that is dropped is connected, looked through and queried', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Shop');
  const written = () => fs.readFileSync(path.resolve(server.home, notebook.path, 'notebook.toml'), 'utf8');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const bytes = databaseWith(`CREATE TABLE orders (id INTEGER NOT NULL, "Full name" TEXT);
    INSERT INTO orders VALUES (1, 'Ada'), (9007199254740993, NULL);
    CREATE TABLE empty (n INTEGER)`);
  const files = await page.evaluateHandle(`(() => {
    const moved = new DataTransfer();
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (letter) => letter.charCodeAt(0));
    moved.items.add(new File([bytes], 'shop.db'));
    return moved;
  })()`);
  await page.dispatchEvent('.workbench', 'drop', { dataTransfer: files });
  await page.getByRole('button', { name: 'Connect shop.db' }).click();

  const panel = page.getByRole('complementary', { name: 'Settings' });
  const tables = panel.getByRole('region', { name: 'Tables of shop' });
  await tables.waitFor();
  assert.match(written(), /\[connections\.shop\]\ndriver = "sqlite"\npath = "work\/shop\.db"/);
  await panel.getByRole('heading', { name: 'Settings' }).click();
  await page.keyboard.press('Control+z');
  await tables.waitFor({ state: 'detached' });
  assert.doesNotMatch(written(), /connections/);
  await page.keyboard.press('Control+Shift+z');
  await tables.getByRole('button', { name: 'Show tables' }).click();
  await tables.getByRole('button', { name: /^orders/ }).click();
  const columns = tables.getByRole('list', { name: 'Columns of orders' });
  assert.deepEqual(
    (await columns.getByRole('listitem').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')),
    ['id integer, never null', 'Full name text'],
  );
  await tables.getByRole('button', { name: 'Preview rows' }).click();
  const rows = tables.getByRole('region', { name: 'First rows of orders' });
  await rows.waitFor();
  assert.deepEqual(
    await Promise.all((await rows.getByRole('row').all()).map((row) => row.locator('th, td').allInnerTexts())),
    [
      ['id', 'Full name'],
      ['1', 'Ada'],
      ['9007199254740993', 'null'],
    ],
  );
  await picture(page, 'connections-light');
  await assertAccessible(page, 'tables of a connection');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 380, height: 780 });
  await rows.scrollIntoViewIfNeeded();
  await picture(page, 'connections-dark-narrow');
  await assertFits(page, 'tables, narrow');
  await assertAccessible(page, 'tables, dark and narrow');
  await page.setViewportSize({ width: 1280, height: 860 });

  const added = notebook.framesUntil(({ type }) => type === 'notebook_state');
  await tables.getByRole('button', { name: 'Insert query' }).click();
  await added;
  const [inserted] = (await notebook.state()).cells;
  assert.equal(inserted?.source, '# @sql connection=shop\nSELECT *\nFROM orders\nLIMIT 100');
  assert.equal((await notebook.run(inserted?.id ?? '')).error, null);
  assert.deepEqual(problems, []);
  await page.close();
});

function databaseWith(sql: string): Buffer {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-db-')), 'shop.db');
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  const bytes = fs.readFileSync(file);
  fs.rmSync(path.dirname(file), { recursive: true });
  return bytes;
}
