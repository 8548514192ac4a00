// The app view in a real browser: laid out as the cells say, turned by a viewer, shown within another page, printed, and sent on.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

const chart = (name: string, hints: string): string =>
  `# @name ${name}\n${hints}\nfrom IPython.display import HTML\nHTML(f'<b>${name} of {alpha}</b>')`;

async function salesApp(server: TestServer): Promise<TestNotebook> {
  const notebook = await createTestNotebook(server, 'Sales');
  const add = async (language: string, source: string): Promise<void> => {
    const { id } = Object((await notebook.request('POST', '/cells', { language })).json);
    await notebook.edit(id, source);
  };
  await add('markdown', '# Sales this year\n\nWhat was sold, and where.');
  await add('markdown', '<!-- @app sidebar -->\n**Choose what is shown.**');
  await add('widget', '# @live\n# @app sidebar\nalpha = slider(0, 10, step=1, default=3)');
  const sources = [
    chart('north', '# @app width 1/2'),
    chart('south', '# @app width 1/2'),
    chart('trend', '# @app tab Over time'),
    `# @name numbers\n# @app tab Numbers\n[alpha, alpha * 2]`,
    '# @name secret\n# @app hide\n"not for readers"',
  ];
  for (const source of sources) assert.equal((await notebook.run(await notebook.add(source))).status, 'ready');
  return notebook;
}

const left = async (page: Page, text: string): Promise<number> =>
  (await page.getByText(text, { exact: true }).boundingBox())?.x ?? assert.fail(`${text} is not in sight`);

describe('the app view', () => {
  it('stands as its cells say, and a viewer turns its controls', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await salesApp(server);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
    const inFrame = (at: number, text: string) => page.locator('iframe').nth(at).contentFrame().getByText(text);
    await inFrame(0, 'north of 3').waitFor();
    await inFrame(2, 'trend of 3').waitFor();
    assert.equal(await page.getByText('not for readers').count(), 0);
    assert.equal(await page.getByText('@app').count(), 0);
    const [aside, north, south] = [
      await left(page, 'Choose what is shown.'),
      await left(page, 'north'),
      await left(page, 'south'),
    ];
    assert.ok(aside < north && north + 300 < south, `${aside}, ${north}, ${south}`);
    await picture(page, 'app-layout-light');
    await assertAccessible(page, 'an app with a layout');

    await page.getByLabel('alpha').fill('5');
    await inFrame(1, 'south of 5').waitFor();
    const tab = (name: string) => page.getByRole('tab', { name, exact: true });
    await tab('Over time').press('ArrowRight');
    assert.equal(await tab('Numbers').getAttribute('aria-selected'), 'true');
    await page.getByRole('tabpanel', { name: 'Numbers' }).getByText('10').waitFor();

    await page.setViewportSize({ width: 400, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await assertFits(page, 'a narrow app');
    const ofFrame = page.locator('iframe').first().contentFrame().locator('html');
    assert.equal(await ofFrame.getAttribute('style'), 'color-scheme: dark;');
    assert.ok(Math.abs((await left(page, 'north')) - (await left(page, 'south'))) < 1);
    await picture(page, 'app-layout-dark-narrow');
    await assertAccessible(page, 'an app with a layout, dark and narrow');
    assert.deepEqual(problems, []);
  });

  it('says what failed and what runs, keeps what somebody types, and goes on when the server is back', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    let server = await startServer({ home });
    const port = new URL(server.address).port;
    try {
      const notebook = await createTestNotebook(server, 'Hard');
      const { id } = Object((await notebook.request('POST', '/cells', { language: 'widget' })).json);
      await notebook.edit(
        id,
        '# @live\nsteps = slider(0, 10, step=1, default=2)\ntitle = text("Sales")\nmost = number(5, min=0, max=9)',
      );
      const share = await notebook.add('# @name Share\nprint(title, most)\n12 / steps');
      const slow = await notebook.add('# @name Slow\nimport time\ntime.sleep(2)\nf"slow {steps}"');
      for (const cellId of [share, slow]) await notebook.run(cellId);
      const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
      await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
      await page.getByText('6.0', { exact: true }).waitFor();
      assert.equal(await page.getByText('Sales').count(), 0, 'a field says its value once');

      // While somebody types, what another control brings about changes nothing of it.
      await page.getByLabel('title').fill('Profit');
      notebook.socket.send('widget_update', { cell_id: id, values: { steps: 3 } });
      await page.getByText('4.0', { exact: true }).waitFor();
      await page.getByRole('region', { name: 'Slow' }).getByText('running').waitFor();
      await page.getByText('slow 3').waitFor();
      assert.equal(await page.getByLabel('title').inputValue(), 'Profit');
      await page.getByLabel('title').press('Enter');
      await page.getByLabel('most').fill('');
      await page.getByLabel('most').fill('7');
      await until(async () => (await notebook.cell(share)).console_stdout === 'Profit 7\n', 'both are taken');

      await page.getByLabel('steps').fill('0');
      await page.getByText('Share could not be computed. ZeroDivisionError: division by zero').waitFor();
      await picture(page, 'app-failed');
      await assertAccessible(page, 'an app with a failure');
      await page.getByLabel('steps').fill('4');
      await page.getByText('3.0', { exact: true }).waitFor();
      await page.getByText('slow 4').waitFor();

      await server.stop();
      await page.getByText('Not connected: this is what the notebook showed last.').waitFor();
      server = await startServer({ home, env: { SVC_PORT: port } });
      await page.waitForURL(({ hash }) => !hash.includes(notebook.sessionId));
      await page.getByLabel('steps').fill('6');
      await page.getByText('2.0', { exact: true }).waitFor();
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });

  it('tells a viewer who may not run that widgets are not theirs', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startProxied();
    const all = asserted({ principal: 'ann', scopes: 'notebook:read notebook:write notebook:execute' });
    const send = async (method: string, place: string, json: unknown) =>
      Object((await server.rest.send(method, `/v1/notebooks${place}`, { headers: all, json })).json);
    const { session_id: session, path } = await send('POST', '/create', { parent_path: '.', name: 'Ours' });
    await send('POST', `/${session}/cells`, { language: 'widget', source: 'n = slider(0, 10, step=1, default=2)' });
    await using forEve = await vouchingFor(
      { principal: 'eve', scopes: 'notebook:read notebook:write' },
      () => server.address,
    );
    const page = await browser.newPage();
    await page.goto(`${forEve.address}/#/app/${session}?path=${encodeURIComponent(path)}`);
    await page.getByText('You may not run cells and use widgets here.').waitFor();
    assert.equal(await page.getByLabel('n').isDisabled(), true);
    assert.equal(await page.getByLabel('n').inputValue(), '2');
  });

  it('is shown within another page in the theme that its address asks for', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Small');
    assert.equal((await notebook.run(await notebook.add('"shown"'))).status, 'ready');
    const page = await browser.newPage();
    await page.goto(`${server.address}/#/app/${notebook.sessionId}?embed=1&theme=dark`);
    await page.getByText('shown').waitFor();
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  });

  it('goes out as one page with the same layout, without a script for it', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await salesApp(server);
    const html = (await notebook.request('GET', '/export?fmt=html&app_view=true')).text;
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.setContent(html);
    const names = page.locator('.tab-names label');
    assert.deepEqual(await names.allTextContents(), [' Over time', ' Numbers']);
    assert.ok((await left(page, 'north')) + 300 < (await left(page, 'south')));
    await page.locator('iframe').nth(2).contentFrame().getByText('trend of 3').waitFor();
    assert.equal(await page.getByRole('region', { name: 'Numbers' }).count(), 0);
    await names.nth(1).click();
    await page.getByRole('region', { name: 'Numbers' }).waitFor();
    await picture(page, 'app-exported');
    await assertAccessible(page, 'an exported app');
    await page.emulateMedia({ media: 'print' });
    for (const name of ['Over time', 'Numbers']) await page.getByRole('heading', { name, exact: true }).waitFor();

    const markdown = (await notebook.request('GET', '/export?fmt=markdown&app_view=true')).text;
    assert.match(markdown, /^# Sales\n\n\*\*Choose what is shown\.\*\*\n[\s\S]*## Over time\n[\s\S]*## Numbers\n/);
  });
});

describe('a printed notebook', () => {
  it('holds every cell and none of the tools, in light colours', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Long');
    for (let at = 1; at <= 40; at++) await notebook.add(`# @name part${at}\nvalue${at} = ${at}`);
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, colorScheme: 'dark' });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    assert.ok((await page.locator('.cell').count()) < 40);

    const last = page.locator('.cell').nth(39);
    // What the page had drawn when the print dialog opened.
    const words = "document.querySelectorAll('.cell').length + ' ' + document.documentElement.dataset.theme";
    await page.evaluate(`window.print = () => { document.title = 'printed ' + ${words}; }`);
    await page.keyboard.press('Control+p');
    await until(async () => (await page.title()).startsWith('printed'), 'the print dialog is opened');
    assert.equal(await page.title(), 'printed 40 light');
    await last.waitFor({ state: 'detached' });
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');

    // The browser's own menu, which counts its sheets at once.
    const sheets = async (): Promise<number> =>
      (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    const counted = await sheets();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await last.waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Panels' }).isVisible(), false);
    await picture(page, 'notebook-printed');
    const whole = await sheets();
    assert.ok(whole >= 3 && counted === whole, `${counted} of ${whole} sheets`);
  });
});
