// Sharing in a real browser: links that work for others, a result for everybody after a look at what that shows, a snapshot.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { newHome, startServer } from './kit/server.ts';
import { proxyEnvironment, startWithKeys } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

describe('sharing a notebook', () => {
  it('gives links that outlive the server, and publishes a result after showing what would be public', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    const env = { SVC_ARTIFACT_DIR: `${home}/artifacts` };
    await using server = await startServer({ home, env });
    const notebook = await createTestNotebook(server, 'Shared');
    await notebook.add('# @name load\nprices = [1, 2]');
    await notebook.run(await notebook.add('# @name mean\ntotal = sum(prices)\ntotal / len(prices)'));
    const page = await browser.newPage({
      viewport: { width: 1280, height: 860 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Notebook', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    const link = await dialog.getByLabel('Link to this notebook').inputValue();
    await dialog.getByRole('button', { name: 'Copy', exact: true }).first().click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), link);
    const reading = await dialog.getByLabel('Link to the reading view').inputValue();
    // As a browser does within a page of another origin.
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed'))`);
    await dialog.getByRole('button', { name: 'Copy HTML to embed it' }).click();
    await dialog.getByRole('button', { name: 'Copy HTML to embed it' }).waitFor({ state: 'detached' });
    assert.match(String(await page.evaluate('navigator.clipboard.readText()')), /<iframe [\s\S]*svc:embed:resize/);
    await picture(page, 'share-light');
    await assertAccessible(page, 'sharing');

    await dialog.getByLabel('Result').selectOption('mean: what it shows');
    await dialog.getByLabel('Title').fill('The mean');
    await dialog.getByRole('button', { name: 'See what would be public' }).click();
    const exposed = dialog.getByRole('region', { name: 'What would be public' });
    await exposed.getByText('total = sum(prices)').waitFor();
    await exposed.getByText('prices = [1, 2]').waitFor();
    assert.deepEqual((await server.rest.get('/v1/publications')).json, [], 'nothing is published by looking');
    // A cell that runs meanwhile stands above it in the list: what is chosen stays what was looked at.
    await notebook.run(await notebook.add('# @name later\nsecret = total * 2\nsecret'));
    await dialog.getByRole('option', { name: 'later: what it shows' }).waitFor({ state: 'attached' });
    assert.equal(await dialog.getByLabel('Result').locator('option:checked').innerText(), 'mean: what it shows');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'share-dark-narrow');
    await assertAccessible(page, 'sharing, dark and narrow');
    await assertFits(page, 'sharing');
    // A double click publishes once: the link is told only then.
    const pressed = Promise.withResolvers<void>();
    await page.route('**/publish', async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Publish for everybody who has the link' }).dblclick({ delay: 60 });
    pressed.resolve();
    const published = await dialog.getByLabel('Link to the publication').inputValue();
    const publication = await fetch(published);
    assert.equal(publication.status, 200);
    assert.match(await publication.text(), /The mean/);

    // Published again it is the same; withdrawn, its link shows it to nobody, and it can have a new one.
    const again = async (): Promise<void> => {
      await dialog.getByLabel('Result').selectOption('load: prices');
      await dialog.getByLabel('Result').selectOption('mean: what it shows');
      await dialog.getByRole('button', { name: 'See what would be public' }).click();
      await dialog.getByRole('button', { name: 'Publish for everybody who has the link' }).click();
    };
    await again();
    await dialog.getByText('It is published already.').waitFor();
    await dialog.getByRole('button', { name: 'Withdraw it' }).click();
    await dialog.getByText('Withdrawn: its link shows the result to nobody any more.').waitFor();
    assert.equal((await fetch(`${published}/data`)).status, 410);
    await again();
    const anew = await dialog.getByLabel('Link to the publication').inputValue();
    assert.notEqual(anew, published);
    assert.equal((await fetch(`${anew}/data`)).status, 200);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save a snapshot' }).click();
    assert.match((await saving).suggestedFilename(), /\.zip$/);
    assert.deepEqual(problems, []);

    // Whoever comes with the link after a restart finds the notebook.
    await server[Symbol.asyncDispose]();
    await using restarted = await startServer({ home, env });
    const elsewhere = (address: string) => address.replace(/^http:\/\/[^/]+/, restarted.address);
    await page.goto('about:blank');
    await page.goto(elsewhere(link));
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('listitem', { name: /^mean/ }).waitFor();
    await page.goto('about:blank');
    await page.goto(elsewhere(reading));
    await page.getByText('1.5', { exact: true }).waitFor();
  });

  it('lets a colleague who may only read see the app and the code, and says what is not theirs', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    let server = await startServer({ home, env: proxyEnvironment });
    t.after(async () => {
      await server.stop('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
    const to = () => server.address;
    const scopes = 'notebook:read notebook:write notebook:execute';
    await using forAnn = await vouchingFor({ principal: 'ann', scopes }, to);
    await using forEve = await vouchingFor({ principal: 'eve', scopes: 'notebook:read' }, to);
    const asAnn = createRest(forAnn.address);
    const name = 'Verkäufe 🐙 & "mehr" <b>';
    const made = await asAnn.post('/v1/notebooks/create', { json: { parent_path: '.', name } });
    const { session_id: session, path: place } = Object(made.json);
    for (const [language, source] of [
      ['markdown', '# What was sold'],
      ['widget', 'alpha = slider(0, 10, step=1, default=3)'],
      ['python', '# @name mean\nalpha / 2'],
    ])
      await asAnn.post(`/v1/notebooks/${session}/cells`, { json: { language, source } });
    const linkTo = (kind: string): string =>
      `${forEve.address}/#/${kind}/${session}?${new URLSearchParams({ path: place })}`;
    const eve = await browser.newPage({ viewport: { width: 1100, height: 760 } });
    await eve.goto(linkTo('app'));
    await eve.getByRole('heading', { name: 'What was sold' }).waitFor();
    await eve.getByText('You may not run cells and use widgets here.').waitFor();
    assert.equal(await eve.getByLabel('alpha').isDisabled(), true);
    await eve.getByRole('link', { name: 'See the code' }).click();
    await eve.getByText('connected', { exact: true }).waitFor();
    await eve.getByText('read only', { exact: true }).waitFor();
    await eve.getByRole('listitem', { name: /^mean/ }).getByText('alpha / 2').waitFor();
    assert.equal(await eve.getByRole('button', { name: /^Run/ }).count(), 0);
    for (const key of ['b', 'b', 'd', 'd']) await eve.keyboard.press(key);
    await eve.getByText('Not done: you may not change notebooks here. Ask whoever runs the server for').waitFor();
    await picture(eve, 'share-reader');
    const environment = eve.getByRole('button', { name: 'Environment', exact: true });
    await environment.click();
    await eve.getByText(/^You may not run cells and use widgets here\. Ask/).waitFor();
    assert.equal(await eve.getByText('You see this notebook as a viewer.').count(), 0);
    await environment.click();
    // Nobody deletes notebooks of a shared server, so nobody is offered it.
    await eve.getByRole('button', { name: 'Notebook', exact: true }).click();
    await eve.getByRole('menuitem', { name: 'Share …' }).waitFor();
    assert.equal(await eve.getByRole('menuitem', { name: /^(Delete|Rename) this notebook/ }).count(), 0);
    await eve.keyboard.press('Escape');
    const first = await eve.context().newPage();
    await first.goto(forEve.address);
    await first.getByRole('button', { name: /^More for / }).click();
    assert.deepEqual(await first.getByRole('menuitem').allInnerTexts(), ['Open', 'Copy its path']);
    await first.close();
    await assertAccessible(eve, 'a notebook that one may only read');

    // Her links last: the notebook has another name, and the server was started again.
    await asAnn.send('PUT', `/v1/notebooks/${session}/name`, { json: { name: 'Sold' } });
    await server.stop();
    server = await startServer({ home, env: proxyEnvironment });
    await eve.goto('about:blank');
    await eve.goto(linkTo('app'));
    await eve.getByRole('heading', { name: 'Sold', exact: true }).waitFor();
    await eve.goto(`${forEve.address}/#/`);
    await eve.getByText('Sold', { exact: true }).click();
    await eve.getByText('read only', { exact: true }).waitFor();
    await eve.goto('about:blank');
    await eve.goto(linkTo('app').replace('path=', 'path=moved'));
    await eve.getByText('This notebook cannot be shown.').waitFor();
  });

  it('of a server that publishes nothing says so before anything is chosen, and whose pages may show the reading view', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startWithKeys();
    const scopes = ['notebook:read', 'notebook:write', 'notebook:execute', 'artifacts:publish'];
    const key = await server.createKey('ed', ...scopes.flatMap((scope) => ['--scope', scope]));
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(server.address);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New notebook' }).click();
    await page.getByLabel('Name').fill('Inside');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Notebook', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share' });
    await dialog.getByText('This server keeps and publishes no results outside of notebooks.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'See what would be public' }).count(), 0);
    await dialog.getByText('Only pages of this server may show it.').waitFor();
    await assertAccessible(page, 'sharing where nothing is published');
  });

  it('stands in pages of other origins, each frame as tall as what it shows', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using around = await startPage();
    await using server = await startServer({ env: { SVC_EMBED_FRAME_ANCESTORS: around.origin } });
    const snippets: string[] = [];
    const page = await browser.newPage({
      viewport: { width: 1000, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    for (const [title, lines] of [
      ['Short "one"', 2],
      ['Long', 60],
    ] as const) {
      const notebook = await createTestNotebook(server, title);
      const { id } = Object((await notebook.request('POST', '/cells', { language: 'markdown' })).json);
      await notebook.edit(id, Array.from({ length: lines }, (_, at) => `line ${at} of ${title}\n`).join('\n'));
      await notebook.run(await notebook.add(`from IPython.display import HTML\nHTML('<b>HTML of ${lines}</b>')`));
      await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
      await page.getByText('connected', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Notebook', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Share …' }).click();
      await page.getByRole('button', { name: 'Copy HTML to embed it' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await page.getByRole('button', { name: 'Copy HTML to embed it' }).waitFor();
      snippets.push(String(await page.evaluate('navigator.clipboard.readText()')));
    }
    around.show(`<!doctype html><title>Around</title>${snippets.join('<hr>')}`);
    const outside = await browser.newPage({ viewport: { width: 900, height: 700 } });
    await outside.goto(around.origin);
    await outside.frameLocator('iframe').first().getByText('line 1 of Short').waitFor();
    await outside.frameLocator('iframe').last().getByText('line 59 of Long').waitFor();
    await outside.frameLocator('iframe').first().frameLocator('iframe').getByText('HTML of 2').waitFor();
    const tall = () =>
      outside.evaluate(
        `[...document.querySelectorAll('iframe')].map((frame) => frame.getBoundingClientRect().height)`,
      ) as Promise<number[]>;
    await until(async () => {
      const [short = 0, long = 0] = await tall();
      return short > 40 && short < 200 && long > 1500;
    }, 'each is as tall as what it shows');
    await picture(outside, 'embedded');
  });

  it('within another site says why nobody can sign in there, and leads to a tab of its own', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using around = await startPage();
    await using server = await startWithKeys({ SVC_EMBED_FRAME_ANCESTORS: around.origin });
    around.show(`<!doctype html><title>Around</title><iframe src="${server.address}/#/" width="800" height="600">`);
    const page = await browser.newPage();
    await page.goto(around.origin);
    const within = page.frameLocator('iframe');
    await within.getByLabel('API key').fill(await server.createKey('eve', '--scope', 'notebook:read'));
    await within.getByRole('button', { name: 'Sign in' }).click();
    await within.getByText('your browser does not keep it for a page that stands within another site').waitFor();
    await picture(page, 'embedded-sign-in');
    assert.equal(await within.getByRole('link').getAttribute('href'), `${server.address}/#/`);
  });
});

/** A page of another origin. */
async function startPage(): Promise<{ readonly origin: string; show(html: string): void } & AsyncDisposable> {
  let shown = '';
  const server = http.createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(shown),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    show(html) {
      shown = html;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
