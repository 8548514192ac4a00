// Notebooks that come from elsewhere, and a page whose files do not come: what they try stays in its place.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { picture } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

const html = (text: string) =>
  `class Page:\n    def _repr_html_(self):\n        return ${JSON.stringify(text)}\nPage()`;

describe('a hostile notebook', () => {
  it('reaches neither the page nor the network, and its links are asked about', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const note = await notebook.request('POST', '/cells', { language: 'markdown' });
    const spoof = '<div style="position:fixed;inset:-2000px;background:red;z-index:9999">Log in again</div>';
    await notebook.edit(
      JSON.parse(note.text).id,
      `Read me\n\n${spoof}\n\n<img src=x onerror="document.title='taken'">`,
    );
    const scripts =
      'window.name = (window.name || "") + "x"; parent.postMessage({ ready: true }, "*"); parent.postMessage({ height: 1e9 }, "*");' +
      'document.querySelector("form").submit(); window.open("http://outside.test/popup"); try { parent.document.title = "taken" } catch {}';
    const page1 = `<p>from html</p><a href="http://outside.test/asked">away</a><form action="http://outside.test/form"></form><b></b><script>${scripts} document.querySelector("b").textContent = "times " + window.name.length</script>`;
    await notebook.run(await notebook.add(html(page1)));
    await notebook.run(await notebook.add(html('<script>location = "http://outside.test/frame"</script>')));

    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    const outside: string[] = [];
    page.context().on('page', (popup) => outside.push(`popup ${popup.url()}`));
    await page.context().route(/outside\.test/, (route) => {
      outside.push(route.request().url());
      return route.fulfill({ body: 'reached' });
    });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const output = page.frameLocator('iframe').first();
    await output.getByText('from html').waitFor();
    // Asking again for what it was given starts nothing again.
    await output.getByText('times 1', { exact: true }).waitFor();
    assert.equal(await page.evaluate("document.elementFromPoint(600, 890).closest('.markdown') === null"), true);
    assert.equal(await page.evaluate("document.elementFromPoint(600, 20).closest('.markdown') === null"), true);

    await output.getByRole('link', { name: 'away' }).click();
    const question = page.getByText('This output leads to http://outside.test/asked');
    await question.waitFor();
    await picture(page, 'link-asked');
    assert.deepEqual([await page.title(), outside], ['First', []]);
    await page.getByRole('button', { name: 'Stay here' }).click();
    await question.waitFor({ state: 'detached' });
    await page.close();
  });
});

describe('a text that would take for ever to be drawn', () => {
  it('stands as it was written, and the page goes on', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const manyTimes = `$\\def\\a{${'x'.repeat(29_000)}}${'\\a'.repeat(1_000)}$`;
    const manyLooks = '_a'.repeat(50_000);
    const longText = `# After\n\n<!-- ${'more words\n'.repeat(1_000)} -->`;
    for (const source of ['# Before', longText, manyLooks, '>'.repeat(20_000), manyTimes]) {
      const note = await notebook.request('POST', '/cells', { language: 'markdown' });
      await notebook.edit(JSON.parse(note.text).id, source);
    }
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByRole('heading', { name: 'Before' }).waitFor();
    await page.getByRole('heading', { name: 'After' }).waitFor();
    for (const source of [manyLooks, '>'.repeat(20_000)])
      assert.equal(await page.locator('.markdown pre', { hasText: source.slice(0, 9) }).textContent(), source);
    const formula = page.locator('.markdown .math');
    await formula.waitFor();
    assert.equal(await formula.textContent(), manyTimes.slice(1, -1));
    await page.close();
  });
});

describe('a part of the app that cannot be fetched', () => {
  it('since the server is newer than the tab, is loaded from there where one goes to another page', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const page = await browser.newPage();
    let isOld = true;
    await page.route(/assets\/Registry-/, (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()));
    await page.goto(server.address);
    await page.getByRole('heading', { name: 'Notebooks', exact: true }).waitFor();
    page.on('domcontentloaded', () => {
      isOld = false;
    });
    await page.getByRole('link', { name: 'Registry', exact: true }).click();
    await page.getByRole('heading', { name: 'Registry' }).waitFor();
    await page.close();
  });

  it('is missing in its place, and the rest of the page works', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.run(await notebook.add(html('<p>from html</p>')));
    await notebook.add('later = 1');
    const page = await browser.newPage();
    await page.route(/assets\/(Frame|Outline|AppView)-/, (route) => route.abort());
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('This output could not be shown').waitFor();
    await page.getByRole('button', { name: 'Outline', exact: true }).click();
    await page.getByText('Outline could not be shown: a file of the page could not be fetched.').waitFor();
    await page.getByRole('listitem', { name: /^later/ }).waitFor();
    // The tab may be older than the server: it is loaded anew once, by itself.
    const loadedAnew = page.waitForEvent('load');
    await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
    await loadedAnew;
    await page.getByText('This page could not be shown').waitFor();
    await page.unroute(/assets\/(Frame|Outline|AppView)-/);
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.frameLocator('iframe').getByText('from html').waitFor();
    await page.close();
  });
});
