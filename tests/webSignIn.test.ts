// A service in a real browser: who is not known signs in with a key, works, signs out; a key that is revoked is over at once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startProxied, startWithKeys } from './kit/service.ts';

describe('signing in', () => {
  it('takes a key, leads on to where one wanted to go, and lasts until it is revoked', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startWithKeys();
    const scopes = ['notebook:read', 'notebook:write', 'notebook:execute'].flatMap((scope) => ['--scope', scope]);
    const key = await server.createKey('ann', ...scopes);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems, forget } = watchPage(page, () => server.address);
    await page.goto(server.address);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await picture(page, 'sign-in-light');
    await assertAccessible(page, 'signing in');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'sign-in-dark-narrow');
    await assertAccessible(page, 'signing in, dark and narrow');
    await assertFits(page, 'signing in');
    await page.setViewportSize({ width: 1280, height: 860 });

    await page.getByLabel('API key').fill('nobodys-key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not known here').waitFor();
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Notebooks', exact: true }).waitFor();
    await page.getByText('ann', { exact: true }).waitFor();
    forget(); // the browser tells of every refusal
    const [cookie, ...others] = await page.context().cookies();
    assert.deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite, others.length], ['svc_key', true, 'Strict', 0]);

    await page.getByRole('button', { name: 'New notebook' }).click();
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^Source of/ }).waitFor();
    await page.keyboard.type('6 * 7');
    // A shared server tells nobody of sessions by their ids; the page opens the notebook by its path.
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('403')),
      [],
    );
    const { hash } = new URL(page.url());

    // Another site's page has nothing of it.
    const foreign = await fetch(`${server.address}/v1/notebooks/sessions`, {
      headers: { cookie: `svc_key=${key}`, origin: 'http://evil.example' },
    });
    assert.equal(foreign.status, 401);

    const { stdout } = await server.svc('apikey', 'list', '--format', 'json');
    const [{ key_id }] = JSON.parse(stdout);
    assert.equal((await server.svc('apikey', 'revoke', key_id)).code, 0);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByLabel('API key').fill(await server.createKey('ann', ...scopes));
    await page.keyboard.press('Enter');
    await page.getByText('connected', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).hash.split('?')[1], hash.split('?')[1], 'the same notebook');

    await page.goto(`${server.address}/#/`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await page.context().cookies(), []);
  });

  it('leaves every page in sight on a phone, however long a name is', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startWithKeys();
    const principal = 'ada.augusta.lovelace@analytical-engine.example.com';
    const page = await browser.newPage({ viewport: { width: 390, height: 740 } });
    await page.goto(server.address);
    await page.getByLabel('API key').fill(await server.createKey(principal, '--scope', 'admin:*'));
    await page.keyboard.press('Enter');
    await page.getByText(principal).waitFor({ state: 'attached' });
    for (const width of [390, 700]) {
      await page.setViewportSize({ width, height: 740 });
      for (const name of ['Notebooks', 'Registry', 'Logs', 'Health']) {
        const link = page.getByRole('link', { name, exact: true });
        const { width: wide = 0, height = 0 } = (await link.boundingBox()) ?? {};
        await link.click({ position: { x: wide - 4, y: height / 2 } });
        await page.locator('.shell-top [aria-current]', { hasText: name }).waitFor();
      }
      await picture(page, `shell-${width}`);
      await assertFits(page, `the bar at ${width}`);
    }
    await assertAccessible(page, 'the bar');
  });

  it('says when it ended in the middle of work, and goes on with what was typed', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startWithKeys();
    const scopes = ['notebook:read', 'notebook:write', 'notebook:execute'].flatMap((scope) => ['--scope', scope]);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.address);
    await page.getByLabel('API key').fill(await server.createKey('ann', ...scopes));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New notebook' }).click();
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: /^Source of/ }).waitFor();
    await page.keyboard.type('kept = 1');
    await page.getByText('saved', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+N');
    await page.getByLabel('A comment').fill('half a comm');
    const revoke = async (): Promise<void> => {
      const { stdout } = await server.svc('apikey', 'list', '--format', 'json');
      for (const { key_id } of JSON.parse(stdout)) await server.svc('apikey', 'revoke', key_id);
    };
    await revoke();
    const ended = page.getByRole('dialog', { name: 'Your sign-in has ended' });
    await ended.getByText('What you typed is still here').waitFor();
    await picture(page, 'sign-in-ended');
    await assertAccessible(page, 'a sign-in that ended');
    // Not now: one may go on writing, and it is still said.
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('Your sign-in has ended').waitFor();
    await page.getByLabel('A comment').fill('half a comment');
    await page.setViewportSize({ width: 390, height: 780 });
    await picture(page, 'sign-in-ended-narrow');
    await assertFits(page, 'a sign-in that ended');
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await ended.getByLabel('API key').fill('nobodys-key');
    await page.keyboard.press('Enter');
    await ended.getByText('This key is not known here').waitFor();
    await ended.getByLabel('API key').fill(await server.createKey('ann', ...scopes));
    await page.keyboard.press('Enter');
    await ended.waitFor({ state: 'detached' });
    await page.getByText('connected', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('A comment').inputValue(), 'half a comment');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.comment-text', { hasText: 'half a comment' }).waitFor();

    // Somebody else has a page of their own; a cell that was half written is there for whoever comes back.
    await revoke();
    await ended.getByLabel('API key').fill(await server.createKey('bob', ...scopes));
    await page.keyboard.press('Enter');
    await ended.waitFor({ state: 'detached' });
    await page.getByText('kept = ').waitFor();
    await page.close();
  });

  it('leaves to whoever is not known the page, and nothing else', async () => {
    await using server = await startWithKeys();
    const status = async (place: string, accept: string) =>
      (await fetch(`${server.address}${place}`, { headers: { accept } })).status;
    const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
    assert.deepEqual(
      await Promise.all([
        status('/', html),
        status('/some/place', html),
        status('/', 'application/json'),
        status('/docs', html),
        status('/output-frame', html),
        status('/v1/notebooks/sessions', html),
        status('/v1/nothing', html),
        status('/%76%31/nothing', html),
      ]),
      [200, 200, 401, 401, 401, 401, 401, 401],
    );
  });

  it('behind a proxy is the proxy’s: the page leads there', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startProxied({ SVC_SIGN_IN_URL: 'https://login.example/start' });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.address);
    const link = page.getByRole('link', { name: 'Sign in' });
    assert.equal(await link.getAttribute('href'), 'https://login.example/start');
    const refused = await server.rest.post('/v1/sign-in', { json: { api_key: 'any' } });
    assert.deepEqual([refused.status, Object(refused.json).detail.code], [409, 'no_keys_here']);
  });
});
