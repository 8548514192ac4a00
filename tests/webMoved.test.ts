// Somebody moves the folder of a notebook, or one around it, while others write in it: nothing is written where it was, and nothing is lost.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const gone = 'The folder of this notebook was moved or deleted.';

it('a notebook whose folder is moved is closed for everybody at once, and found again with what was typed', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Here');
  const id = await notebook.add('# @name first\nx = 1');
  await notebook.run(id);
  const [ann, bob] = [await browser.newPage({ viewport: { width: 390, height: 740 } }), await browser.newPage()];
  for (const page of [ann, bob]) {
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
  }
  const cell = ann.getByRole('listitem', { name: /^first,/ });
  await cell.click({ position: { x: 4, y: 4 } });
  await ann.keyboard.press('Enter');
  await cell.locator('.cm-content').waitFor();
  await ann.keyboard.press('Control+End');
  await ann.keyboard.type('\ny = 2');
  await until(async () => (await notebook.cell(id)).source.endsWith('y = 2'), 'it is saved');
  const moved = path.join(path.dirname(notebook.path), 'there');
  fs.renameSync(notebook.path, moved);
  for (const page of [ann, bob]) await page.getByText(gone).waitFor();
  await ann.keyboard.type('\nz = 3');
  await picture(ann, 'moved-narrow');
  await assertAccessible(ann, 'a notebook that was moved');
  await assertFits(ann, 'a notebook that was moved');
  assert.equal(fs.existsSync(notebook.path), false, 'nothing was made where it was');

  await ann.getByRole('button', { name: 'Open it again' }).click();
  await ann.getByText('connected', { exact: true }).waitFor();
  await until(() => fs.readFileSync(path.join(moved, `cells/${id}.py`), 'utf8').includes('z = 3'), 'it is on disk');
  assert.match(decodeURIComponent(ann.url()), /path=[^&]*\/there$/);
  await bob.getByRole('button', { name: 'Open it again' }).click();
  await bob
    .getByRole('listitem', { name: /^first,/ })
    .getByText('z = ')
    .waitFor();
  assert.equal(fs.existsSync(notebook.path), false);
});

it('an edit of a notebook that went with the folder around it is refused, and tells everybody', async () => {
  await using server = await startServer();
  const root = path.join(server.home, '.svc/notebooks/team');
  fs.mkdirSync(root, { recursive: true });
  const made = await server.rest.post('/v1/notebooks/create', { json: { parent_path: 'team', name: 'Within' } });
  assert.equal(made.status, 200, made.text);
  const notebook = await createTestNotebook(server, 'Beside');
  const within = `/v1/notebooks/${Object(made.json).session_id}`;
  const { id } = Object((await server.rest.post(`${within}/cells`, { json: {} })).json);
  fs.renameSync(root, `${root}-2026`);
  const refused = await server.rest.send('PUT', `${within}/cells/${id}`, { json: { source: 'x = 1' } });
  assert.equal(refused.status, 404);
  await until(async () => (await server.rest.get(`${within}/cells`)).status === 404, 'it is closed');
  assert.equal(fs.existsSync(root), false);
  assert.equal((await notebook.request('GET', '/cells')).status, 200, 'others go on');
});

it('a notebook whose folder is deleted while a process stands in it is closed too', async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Deleted');
  await notebook.run(await notebook.add('x = 1'));
  fs.rmSync(notebook.path, { recursive: true, force: true, maxRetries: 5 });
  const { payload } = await notebook.socket.frame(({ type }) => type === 'session_closed');
  assert.equal(payload.reason, 'deleted');
  assert.equal((await notebook.request('GET', '/cells')).status, 404);
});
