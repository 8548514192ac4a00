// All settings of a notebook in one panel: found by their words, marked until they are saved, refused in words, taken back by
// the keys that take back everything, and on disk afterwards.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { startWithKeys } from './kit/service.ts';
import { until } from './kit/until.ts';

const settingsOf = (page: Page) => page.getByRole('complementary', { name: 'Settings' });

async function openSettings(page: Page) {
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const panel = settingsOf(page);
  await panel.getByRole('searchbox', { name: 'Search settings' }).waitFor();
  return panel;
}

const fileOf = (server: TestServer, notebook: { readonly path: string }) => (): string =>
  fs.readFileSync(path.resolve(server.home, notebook.path, 'notebook.toml'), 'utf8');

describe('the settings of a notebook', () => {
  it('are found by words, marked until they are saved, and taken back', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Settings');
    const written = fileOf(server, notebook);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const panel = await openSettings(page);
    const titles = () => panel.locator('.settings-title > span').allInnerTexts();
    assert.deepEqual(await titles(), [
      'Cells',
      'Variables and secrets',
      'Environment',
      'Workers',
      'Mounts',
      'Connections',
      'Credentials of this server',
      'Help from a model',
      'Limits of this server',
    ]);
    await picture(page, 'settings-light');
    await assertAccessible(page, 'settings');

    const search = panel.getByRole('searchbox', { name: 'Search settings' });
    await search.fill('timeout limit');
    const limit = panel.getByRole('textbox', { name: 'Time limit of a cell' });
    await limit.waitFor();
    assert.deepEqual(await titles(), ['Cells', 'Limits of this server']);
    assert.equal(await panel.getByText('Folder of data files').count(), 0);
    await search.fill('nothing like that');
    await panel.getByText('No matches').waitFor();

    // What cannot be is said beside the field and not sent.
    await search.fill('timeout');
    await limit.fill('-3');
    await panel.getByText(/^Write a number of seconds above 0/).waitFor();
    await page.keyboard.press('Enter');
    assert.doesNotMatch(written(), /timeout/);
    await limit.fill('45');
    await panel.getByRole('status').getByRole('button', { name: 'Time limit of a cell' }).waitFor();
    await picture(page, 'settings-not-saved');
    await assertAccessible(page, 'settings that are not saved');

    // It is still there after the panel was closed, and the rail says so.
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByTitle('Settings (7): some are not saved').click();
    await panel.getByRole('status').getByRole('button', { name: 'Time limit of a cell' }).click();
    assert.equal(await limit.inputValue(), '45');
    await panel.getByRole('form', { name: 'Time limit of a cell' }).getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('status').waitFor({ state: 'detached' });
    assert.match(written(), /timeout = 45\.0/);

    await panel.getByRole('heading', { name: 'Settings' }).click();
    await page.keyboard.press('Control+z');
    await page.getByText('Undid setting the time limit.').first().waitFor();
    await until(async () => (await limit.inputValue()) === '', 'the field to be empty again');
    assert.doesNotMatch(written(), /timeout/);
    await page.keyboard.press('Control+Shift+z');
    await until(async () => (await limit.inputValue()) === '45', 'the field to be filled again');
    assert.match(written(), /timeout = 45\.0/);

    await search.fill('variables');
    const variables = panel.getByRole('form', { name: 'Environment variables' });
    await variables.getByRole('button', { name: 'Add a variable' }).click();
    await variables.getByLabel('Name', { exact: true }).fill('1ST');
    await variables.getByText('1ST: use letters').waitFor();
    await variables.getByLabel('Name', { exact: true }).fill('API_TOKEN');
    await variables.getByLabel('Value of API_TOKEN').fill('s3cret');
    await variables.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('status').waitFor({ state: 'detached' });
    assert.equal(await variables.getByLabel('Value of API_TOKEN').inputValue(), '__svc_masked__');
    assert.doesNotMatch(written(), /s3cret/);

    await search.fill('llm');
    const model = panel.getByRole('form', { name: 'Model of this notebook' });
    await model.getByLabel('Model').fill('small-one');
    await model.getByLabel('Address').fill('models.example');
    await model.getByText(/^Write an address such as/).waitFor();
    await model.getByLabel('Address').fill('https://models.example/v1');
    await model.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('status').waitFor({ state: 'detached' });
    assert.match(written(), /\[ai\]\nmodel = "small-one"\nbase_url = "https:\/\/models\.example\/v1"/);

    await page.reload();
    const again = await openSettings(page);
    await again.getByRole('button', { name: /^Cells/ }).click();
    assert.equal(await again.getByRole('textbox', { name: 'Time limit of a cell' }).inputValue(), '45');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 780 });
    await again.getByRole('textbox', { name: 'Time limit of a cell' }).fill('x');
    await picture(page, 'settings-dark-narrow');
    await assertFits(page, 'settings, narrow');
    await assertAccessible(page, 'settings, dark and narrow');
    assert.deepEqual(problems, []);
    await page.close();

    // Another server finds what was saved; secrets live only as long as the one that was told them.
    await server.stop();
    await using next = await startServer({ home: server.home });
    const state = await (await openTestNotebook(next, notebook.path)).state();
    const { timeout, ai, env } = state as typeof state & { readonly timeout: number; readonly env: object };
    assert.deepEqual(
      { timeout, ai, env },
      { timeout: 45, ai: { model: 'small-one', base_url: 'https://models.example/v1' }, env: {} },
    );
  });

  it('that two people change at once keep what each of them wrote, and say so', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Together');
    const written = fileOf(server, notebook);
    await notebook.request('PUT', '/env', { env: { REGION: 'eu', STAGE: 'dev' } });
    const open = async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
      const panel = await openSettings(page);
      await panel.getByRole('button', { name: /^Variables and secrets/ }).click();
      return { page, form: panel.getByRole('form', { name: 'Environment variables' }) };
    };
    const [ann, ben] = [await open(), await open()];
    await ann.form.getByLabel('Value of REGION').fill('asia');
    await ben.form.getByLabel('Value of STAGE').fill('live');
    await ben.form.getByRole('button', { name: 'Add a variable' }).click();
    await ben.form.getByLabel('Name', { exact: true }).last().fill('TEAM');
    await ben.form.getByLabel('Value of TEAM').fill('blue');
    await ben.form.getByRole('button', { name: 'Save' }).click();
    await ann.form.getByText(/^This was changed elsewhere meanwhile/).waitFor();
    assert.deepEqual(
      await ann.form.locator('input').evaluateAll((fields) => fields.map((field) => Reflect.get(field, 'value'))),
      ['REGION', 'asia', 'STAGE', 'live', 'TEAM', 'blue'],
    );
    await picture(ann.page, 'settings-overtaken');
    await assertAccessible(ann.page, 'a setting that somebody else changed');
    await ann.form.getByRole('button', { name: 'Save' }).click();
    await ann.form.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    assert.match(written(), /\[env\]\nREGION = "asia"\nSTAGE = "live"\nTEAM = "blue"\n/);
    assert.equal(await ann.form.getByText(/meanwhile/).count(), 0);
    await until(
      async () => (await ben.form.getByLabel('Value of REGION').inputValue()) === 'asia',
      'the other page to follow',
    );
    await Promise.all([ann.page.close(), ben.page.close()]);
  });

  it('of a connection say what is wrong or missing when it matters, and go with its kind', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Kinds');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const panel = await openSettings(page);
    await panel.getByRole('button', { name: /^Connections/ }).click();
    const form = panel.getByRole('form', { name: 'Connections' });
    const save = form.getByRole('button', { name: 'Save' });
    await form.getByRole('button', { name: 'Add a connection' }).click();
    await form.getByLabel('Kind').selectOption('sqlite');
    assert.deepEqual([await form.getByLabel('File').inputValue(), await form.getByText('has no').count()], ['', 0]);
    await save.click();
    await form.getByText('The new connection has no name').waitFor();
    await form.getByLabel('Name').fill('shop');
    await form.getByText('shop has no file: write where the database lies').waitFor();
    await form.getByLabel('Kind').selectOption('postgresql');
    await form.getByLabel('Host').fill('db.example.org');
    await form.getByLabel('Port').fill('abc');
    await form.getByText('shop: the port is a number from 1 to 65535.').waitFor();
    await form.getByLabel('Port').fill('5433');
    await save.click();
    await save.waitFor({ state: 'detached' });
    assert.match(
      fileOf(server, notebook)(),
      /\[connections\.shop\]\ndriver = "postgresql"\nhost = "db\.example\.org"\nport = 5433\n/,
    );
    await page.close();
  });

  it('that are not saved when the server is started again wait in the open panel, and secrets are asked for anew', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    const first = await startServer({ home });
    const { port } = new URL(first.address);
    const notebook = await createTestNotebook(first, 'Again');
    await notebook.request('PUT', '/env', { env: { API_TOKEN: 's3cret', REGION: 'eu' } });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${first.address}/#/notebook/${notebook.sessionId}`);
    const panel = await openSettings(page);
    await panel.getByRole('button', { name: /^Variables and secrets/ }).click();
    const form = panel.getByRole('form', { name: 'Environment variables' });
    await form.getByLabel('Value of REGION').fill('asia');
    await first.stop('SIGKILL');
    await page.getByText('Not connected.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('The server does not answer.').waitFor();
    await using second = await startServer({ home, env: { SVC_PORT: port } });
    await page.getByText('connected', { exact: true }).waitFor();
    const token = form.getByLabel('Value of API_TOKEN');
    await until(async () => (await token.getAttribute('placeholder')) === 'write again', 'the secret to be asked for');
    assert.deepEqual([await token.inputValue(), await form.getByLabel('Value of REGION').inputValue()], ['', 'asia']);
    await picture(page, 'settings-after-restart');
    await token.fill('s3cret');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    const again = await openTestNotebook(second, notebook.path);
    const { env } = (await again.state()) as { readonly env?: object };
    assert.deepEqual(env, { API_TOKEN: '__svc_masked__', REGION: 'asia' });
    await page.close();
  });

  it('that a key does not allow are shown, with the reason', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startWithKeys();
    const key = await server.createKey('ann', '--scope', 'notebook:read', '--scope', 'notebook:write');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.address);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New notebook' }).click();
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const panel = await openSettings(page);
    await panel.getByRole('button', { name: /^Environment/ }).click();
    await panel.getByText(/^You may not run cells and use widgets here\. .* notebook:execute\.$/).waitFor();
    assert.equal(await panel.getByLabel('Packages to add').isDisabled(), true);
    await panel.getByRole('button', { name: /^Cells/ }).click();
    assert.equal(await panel.getByRole('textbox', { name: 'Time limit of a cell' }).isDisabled(), false);
    await panel.getByRole('button', { name: /^Credentials of this server/ }).click();
    await panel.getByText(/^You may not see or change credentials here\. .* admin:notebook-credentials\.$/).waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Add a credential' }).count(), 0);
    await picture(page, 'settings-not-allowed');
    await assertAccessible(page, 'settings that are not allowed');
    await panel.getByRole('button', { name: /^Workers/ }).click();
    await panel.getByText('The operator of this server can add workers.').waitFor();
    await page.close();

    // Whoever may only read is told so before they try.
    const reader = await browser.newPage({ viewport: { width: 380, height: 780 } });
    await reader.goto(server.address);
    await reader.getByLabel('API key').fill(await server.createKey('vic', '--scope', 'notebook:read'));
    await reader.keyboard.press('Enter');
    await reader.getByText(/^You may look at notebooks here, not change or make them/).waitFor();
    assert.equal(await reader.getByRole('button', { name: 'New notebook' }).count(), 0);
    await picture(reader, 'home-reader-narrow');
    await assertAccessible(reader, 'notebooks of others');
    await reader.getByText('Mine', { exact: true }).click();
    await reader.getByText('read only', { exact: true }).waitFor();
    await reader.close();
  });

  it('of the operator are read: what a cell may take, and by which setting', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer({
      env: { SVC_NOTEBOOK_CELL_MEMORY_MB: '4096', SVC_NOTEBOOK_CELL_OPEN_FILES: '1024' },
    });
    const notebook = await createTestNotebook(server, 'Limits');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const panel = await openSettings(page);
    await panel.getByRole('searchbox').fill('memory quota');
    const limits = panel.getByLabel('What a cell may take');
    await limits.waitFor();
    assert.deepEqual(
      (await limits.locator('dt, dd').allInnerTexts()).map((text) => text.replace('\n', ' ')),
      [
        ...['Memory SVC_NOTEBOOK_CELL_MEMORY_MB', '4.0 GB'],
        ...['Size of a file SVC_NOTEBOOK_CELL_FILE_MB', 'no limit'],
        ...['Open files SVC_NOTEBOOK_CELL_OPEN_FILES', '1,024'],
        ...['Processes, all cells SVC_NOTEBOOK_CELL_PROCESSES', 'no limit'],
        ...['Niceness when busy SVC_NOTEBOOK_CELL_NICENESS', '5'],
      ],
    );
    assert.deepEqual(await limits.locator('strong[title="Not the default"]').allInnerTexts(), ['4.0 GB', '1,024']);
    await picture(page, 'settings-limits');
    await assertAccessible(page, 'limits');
    await page.close();
  });

  it('of the server are for its administrators: values go in and are not seen again', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer({ env: { SVC_NOTEBOOK_CREDENTIALS: '{"lake": {"key": "first-value"}}' } });
    const notebook = await createTestNotebook(server, 'Credentials');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const panel = await openSettings(page);
    await panel.getByRole('searchbox').fill('administrator credential');
    const form = panel.getByRole('form', { name: 'Credentials of this server' });
    await form.getByRole('button', { name: 'Add a credential' }).click();
    await form.getByLabel('Name').fill('shop');
    await form.getByLabel('Field').fill('password');
    await form.getByLabel('Value of password').fill('second-value');
    await form.getByLabel('Folders').fill('team');
    await form.getByText('shop: write folders as absolute paths').waitFor();
    await form.getByLabel('Folders').fill('/srv/team');
    await picture(page, 'settings-credentials');
    await assertAccessible(page, 'credentials');
    await form.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('status').waitFor({ state: 'detached' });
    assert.equal(await form.getByLabel('Value of password').inputValue(), '<redacted>');
    const { json } = await server.rest.get('/v1/admin/notebook-credentials');
    assert.deepEqual(
      [Object(json).notebook_credentials, Object(json).notebook_credential_paths],
      [{ lake: { key: '<redacted>' }, shop: { password: '<redacted>' } }, { shop: ['/srv/team'] }],
    );
    assert.deepEqual(problems, []);
    await page.close();
  });
});
