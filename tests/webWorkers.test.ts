// Workers of a notebook from its page: added by address, used by a cell, found in notebook.toml and after a reload, removed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { startWithKeys } from './kit/service.ts';
import { startSshd, withoutSshd } from './kit/sshd.ts';
import { until } from './kit/until.ts';
import { startWorker } from './kit/worker.ts';

it('of a shared server are added by its administrators, for all notebooks, and seen by everybody else', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using worker = await startWorker();
  await using server = await startWithKeys();
  const open = async (key: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.address);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    return page;
  };
  const enter = async (page: Page): Promise<Locator> => {
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Workers', exact: true }).click();
    return page.getByRole('complementary', { name: 'Workers' });
  };
  const ada = await open(await server.createKey('ada', '--scope', 'admin:*'));
  await ada.getByRole('button', { name: 'New notebook' }).click();
  await ada.getByLabel('Name').fill('Together');
  await ada.getByRole('button', { name: 'Create', exact: true }).click();
  const hers = await enter(ada);
  const form = hers.getByRole('form', { name: 'Add a worker' });
  await form.getByRole('heading', { name: 'Add a worker for all notebooks' }).waitFor();
  await form.getByLabel('Where').fill('me@gpu.example');
  await form.getByRole('button', { name: 'Add' }).click();
  await form.getByText(/^Start it on that machine/).waitFor();
  await form.getByLabel('Where').fill(worker.address);
  await form.getByLabel('Name').fill('lab');
  await form.getByRole('button', { name: 'Add' }).click();
  await hers.getByText('healthy').waitFor();
  await picture(ada, 'worker-for-all');
  await assertAccessible(ada, 'a worker for all notebooks');

  const scopes = ['--scope', 'notebook:read', '--scope', 'notebook:write'];
  const ed = await open(await server.createKey('ed', ...scopes));
  await ed.getByText('Together', { exact: true }).first().click();
  const his = await enter(ed);
  await his.getByText('healthy').waitFor();
  assert.equal(await his.getByRole('form').count(), 0);
  assert.equal(await his.getByRole('button', { name: 'Remove lab' }).count(), 0);

  await hers.getByRole('button', { name: 'Remove lab' }).click();
  await hers.getByText('healthy').waitFor({ state: 'detached' });
  await his.getByText('The operator of this server can add workers.').waitFor();
});

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
  // A cell is sent elsewhere and back by its menu; the notebook has one place for all of them.
  const there = page.getByRole('listitem', { name: /^there/ });
  const sendTo = async (choice: RegExp): Promise<void> => {
    await there.getByRole('button', { name: 'More for this cell' }).click();
    await page.getByRole('menuitem', { name: 'Choose where it runs …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Where there runs' });
    await dialog.getByRole('radio', { name: choice }).check();
    await picture(page, 'worker-choice');
    await assertAccessible(page, 'where a cell runs');
    await dialog.getByRole('button', { name: 'Choose' }).click();
  };
  const source = async () => (await notebook.cell(id)).source.trim();
  await sendTo(/^As the notebook says: this machine/);
  await until(async () => (await source()) === '# @name there\n6 * 7', 'the cell without a worker');
  await panel.getByRole('combobox', { name: 'Cells run on' }).selectOption('lab');
  await until(() => /^worker = "lab"$/m.test(definition()), 'the worker of the notebook');
  await sendTo(/^lab/);
  await until(async () => (await source()) === '# @name there\n# @worker lab\n6 * 7', 'the cell with its worker');
  await panel.getByRole('heading', { name: 'Workers', exact: true }).click();
  await page.keyboard.press('Control+z');
  await page.getByText('Undid choosing a worker.').first().waitFor();
  await page.keyboard.press('Control+z');
  await until(() => !/^worker = "lab"$/m.test(definition()), 'the notebook without a worker');
  await page.keyboard.press('Control+z');
  await until(async () => (await source()).includes('# @worker lab'), 'the worker of the cell again');
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

it('starts a worker by ssh, says why it could not, and takes it away again', { skip: withoutSshd }, async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  const { programs, home } = await startSshd(t);
  await using server = await startServer({ env: { PATH: `${programs}:${process.env.PATH}` } });
  const notebook = await createTestNotebook(server, 'Far');
  const definition = () => fs.readFileSync(path.resolve(server.home, notebook.path, 'notebook.toml'), 'utf8');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Workers', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Workers' });
  const form = panel.getByRole('form', { name: 'Add a worker' });
  const add = async (place: string): Promise<void> => {
    await form.getByLabel('Where').fill(place);
    await form.getByRole('button', { name: 'Add' }).click();
  };
  await add('nobody@127.0.0.1:1');
  await form.getByText(/Connection refused/).waitFor();
  await picture(page, 'worker-ssh-refused');
  assert.equal(await form.getByLabel('Where').inputValue(), 'nobody@127.0.0.1:1');
  await add('ssh lab');
  await panel.getByText('healthy').waitFor();
  assert.match(definition(), /name = "lab"/);
  const id = await notebook.add('# @name there\n# @worker lab\n6 * 7');
  const ran = await notebook.run(id);
  assert.deepEqual([ran.remote_worker, ran.display?.preview], ['lab', 42], String(ran.error));
  await add('ssh lab');
  await form.getByText(/^This notebook has a worker called lab already/).waitFor();
  await picture(page, 'worker-ssh');
  await assertAccessible(page, 'a worker by ssh');
  await panel.getByRole('heading', { name: 'Workers', exact: true }).click();
  await page.keyboard.press('Control+z');
  await page.getByText('Undid adding lab.').first().waitFor();
  await until(() => !definition().includes('name = "lab"'), 'the worker to be gone');
  assert.deepEqual(fs.globSync(path.join(home, '.svc/worker-lab.*')), [], 'nothing runs there any more');
});

it('says in words that another web server answers at the address of a worker, and why a cell does not run there', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  let answer: readonly [status: number, type: string, body: string] = [200, 'text/html', page('Welcome to nginx!')];
  const web = http.createServer((_request, response) => {
    const [status, type, body] = answer;
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  t.after(() => web.close());
  const { port } = web.address() as AddressInfo;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Elsewhere');
  const cell = await notebook.add('# @name there\n# @worker page\n6 * 7');
  const opened = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await opened.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await opened.getByText('connected', { exact: true }).waitFor();
  await opened.getByRole('button', { name: 'Workers', exact: true }).click();
  const panel = opened.getByRole('complementary', { name: 'Workers' });
  const form = panel.getByRole('form', { name: 'Add a worker' });
  await form.getByLabel('Where').fill(`http://127.0.0.1:${port}`);
  await form.getByLabel('Name').fill('page');
  await form.getByRole('button', { name: 'Add' }).click();
  const words = 'it is no worker: it answered with a web page (“Welcome to nginx!”), which is from another web server';
  await form.getByText(`page is added, but no cell can run there now: ${words}.`).waitFor();
  await panel.getByRole('listitem').getByText(words).waitFor();
  await picture(opened, 'worker-that-is-none');
  await assertAccessible(opened, 'a worker that is none');
  await opened.close();

  const ran = async () => (await notebook.run(cell)).error;
  assert.equal(
    await ran(),
    `WorkerFailed: The worker page could not be asked whether it installs environments: ${words}.`,
  );
  const health = async () => {
    const asked = await server.rest.get(`/v1/notebooks/${notebook.sessionId}/workers`);
    return Object(asked.json).workers.find(({ name }: { name: string }) => name === 'page').last_error;
  };
  await notebook.request('PUT', '/workers', { workers: [] });
  for (const [one, said, failed] of [
    [
      [404, 'text/html', page('404 Not Found')],
      'it answered 404 with a web page (“404 Not Found”), which is from another web server',
      'WorkerFailed: The worker page answered 404: a web page (“404 Not Found”), which is from another web server',
    ],
    [
      [200, 'application/json', '{"status":"ok"}'],
      'it does not say that it is healthy',
      'WorkerFailed: The worker page answered with application/json and no result of a cell: what answers there may be no worker.',
    ],
    [
      [200, 'application/json', '[1]'],
      'it is no worker: it answered with something that no worker says',
      'WorkerFailed: The worker page could not be asked whether it installs environments: it is no worker: it answered with something that no worker says.',
    ],
  ] as const) {
    answer = one;
    // Each under an address of its own: what was said a moment ago is remembered.
    const config = { url: `http://127.0.0.1:${port}/${encodeURIComponent(said.slice(0, 20))}${one[2].length}` };
    await notebook.request('PUT', '/workers', { workers: [{ name: 'page', config }] });
    assert.deepEqual([await health(), await ran()], [said, failed]);
  }
});

const page = (title: string): string => `<!doctype html>\n<title>${title}</title>`;
