// Workers of a notebook from its page: added by address, used by a cell, found in notebook.toml and after a reload, removed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { startWorker } from './kit/worker.ts';

it('adds a worker by its address, runs a cell there, and removes it', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using worker = await startWorker();
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Elsewhere');
  const definition = () => fs.readFileSync(path.resolve(server.home, notebook.path, 'notebook.toml'), 'utf8');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Workers', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Workers' });
  const form = panel.getByRole('form', { name: 'Add a worker' });
  await form.getByLabel('Where').fill('lab');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByText(/^Write an address such as/).waitFor();
  await form.getByLabel('Where').fill(worker.address);
  await form.getByLabel('Name').fill('lab');
  await picture(page, 'worker-form-light');
  await assertAccessible(page, 'a new worker');
  await form.getByRole('button', { name: 'Add' }).click();
  await panel.getByText('healthy').waitFor();
  assert.match(definition(), /name = "lab"/);

  const id = await notebook.add('# @name there\n# @worker lab\n6 * 7');
  assert.equal((await notebook.run(id)).status, 'ready');
  await page.reload();
  await page.getByRole('button', { name: 'Workers', exact: true }).click();
  await panel.getByText('healthy').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 400, height: 820 });
  await assertFits(page, 'workers, narrow');
  await picture(page, 'worker-dark-narrow');
  await assertAccessible(page, 'workers, dark and narrow');
  await panel.getByRole('button', { name: 'Remove lab' }).click();
  // A cell still asks for it: it is listed as somebody's wish, and no longer defined.
  await panel.getByRole('button', { name: 'Remove lab' }).waitFor({ state: 'detached' });
  assert.doesNotMatch(definition(), /name = "lab"/);
  await panel.getByRole('heading', { name: 'Workers', exact: true }).click();
  await page.keyboard.press('Control+z');
  await panel.getByRole('button', { name: 'Remove lab' }).waitFor();
  assert.match(definition(), /name = "lab"/);
  assert.deepEqual(problems, []);
});
