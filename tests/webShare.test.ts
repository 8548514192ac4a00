// Sharing in a real browser: links that work for others, a result for everybody after a look at what that shows, a snapshot.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { newHome, startServer } from './kit/server.ts';

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
    await dialog.getByRole('button', { name: 'Copy HTML to embed it' }).click();
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
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'share-dark-narrow');
    await assertAccessible(page, 'sharing, dark and narrow');
    await assertFits(page, 'sharing');
    await dialog.getByRole('button', { name: 'Publish for everybody who has the link' }).click();
    const published = await dialog.getByLabel('Link to the publication').inputValue();
    const publication = await fetch(published);
    assert.equal(publication.status, 200);
    assert.match(await publication.text(), /The mean/);
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save a snapshot' }).click();
    assert.match((await saving).suggestedFilename(), /\.zip$/);
    assert.deepEqual(problems, []);

    // Whoever comes with the link after a restart finds the notebook.
    await server[Symbol.asyncDispose]();
    await using again = await startServer({ home, env });
    const elsewhere = (address: string) => address.replace(/^http:\/\/[^/]+/, again.address);
    await page.goto('about:blank');
    await page.goto(elsewhere(link));
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('listitem', { name: /^mean/ }).waitFor();
    await page.goto('about:blank');
    await page.goto(elsewhere(reading));
    await page.getByText('1.5', { exact: true }).waitFor();
  });
});
