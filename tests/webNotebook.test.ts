// A notebook in a real browser, from an empty server to a restarted one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, openTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { newHome, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const cells = (page: Page) => page.getByRole('list', { name: 'Cells' }).getByRole('listitem');
const cell = (page: Page, name: string | RegExp) => page.getByRole('listitem', { name }).first();
const isPrepared = (page: Page) =>
  page
    .getByRole('contentinfo')
    .getByText(/Python \d/)
    .waitFor();
const openAt = async (page: Page, address: string, sessionId: string): Promise<void> => {
  await page.goto(`${address}/#/notebook/${sessionId}`);
  await cells(page).first().waitFor();
  await page.getByText('connected', { exact: true }).waitFor();
};

describe('the notebook page', () => {
  it('create, edit, run, fail, fix, reload, restart', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    let server = await startServer({ home });
    const port = new URL(server.address).port;
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
      const { problems, forget } = watchPage(page, () => server.address);
      await page.goto(server.address);
      await page.getByRole('button', { name: 'Start your first notebook' }).click();
      await cells(page).first().waitFor();
      await isPrepared(page);

      await page.keyboard.press('Enter');
      await page.keyboard.type('# @name load\nnumbers = [3, 1, 2]\nprint("loaded")');
      await page.keyboard.press('Shift+Enter');
      // Typed at once: the next cell is still on its way.
      await page.keyboard.type('# @name total\ntotal = sum(number)\ntotal');
      await page.getByText('loaded', { exact: true }).waitFor();
      await page.keyboard.press('Control+Enter');
      await page.getByRole('region', { name: 'Error' }).getByText('NameError').waitFor();
      await picture(page, 'notebook-error');

      await page.getByRole('button', { name: 'total, line 2' }).click();
      await page.keyboard.press('End');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.type('s');
      await page.keyboard.press('Control+Enter');
      // What load made was kept, though nobody read it then: nothing runs a second time.
      await cell(page, /^total, python, ready/)
        .getByText('6', { exact: true })
        .waitFor();

      await page.keyboard.press('Escape');
      await cell(page, /^load/).getByRole('button', { name: 'More for this cell' }).click();
      await page.getByRole('menuitem', { name: /^Duplicate/ }).click();
      await page.locator('[role=listitem]:focus[aria-posinset="2"]').waitFor();
      await page.keyboard.press('d');
      await page.keyboard.press('d');
      await cells(page).nth(2).waitFor({ state: 'detached' });
      await page.keyboard.press('z');
      await cells(page).nth(2).waitFor();
      await page.keyboard.press('z');
      await cells(page).nth(2).waitFor({ state: 'detached' });
      // As in Jupyter: a new cell is chosen and waits for the next key.
      await page.locator('[role=listitem]:focus[aria-posinset="2"][aria-setsize="2"]').waitFor();
      await page.keyboard.press('b');
      await page.locator('[role=listitem]:focus[aria-posinset="3"][aria-setsize="3"]').waitFor();
      await page.keyboard.press('d');
      await page.keyboard.press('d');
      await cells(page).nth(2).waitFor({ state: 'detached' });

      await page.reload();
      await cell(page, /^total, python, ready/)
        .getByText('6', { exact: true })
        .waitFor();
      assert.deepEqual(problems, []);

      await server.stop();
      await page.getByText('The server is restarting.').waitFor();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+End');
      await page.keyboard.type('  # typed meanwhile');
      server = await startServer({ home, env: { SVC_PORT: port } });
      await page.getByText('connected', { exact: true }).waitFor();
      await cells(page).getByText('typed meanwhile').waitFor();
      await cell(page, /^total, python, ready/)
        .getByText('6', { exact: true })
        .waitFor();
      await page.getByText('loaded', { exact: true }).first().waitFor();
      forget();
      await page.close();
    } finally {
      await server.stop('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('keeps every key that is pressed while it is opened again in a server that was restarted', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    let server = await startServer({ home });
    const port = new URL(server.address).port;
    try {
      const notebook = await createTestNotebook(server);
      await notebook.add('first = 1');
      const id = await notebook.add('ab');
      const page = await browser.newPage();
      await openAt(page, server.address, notebook.sessionId);
      await page.locator(`[data-cell="${id}"]`).click({ position: { x: 4, y: 4 } });
      await page.keyboard.press('Enter');
      await page.locator('.cm-editor.cm-focused').waitFor();
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowRight');
      const isOpened = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      // The new session is known and on its way: this is when the page changes.
      await page.route(/\/v1\/notebooks\/sessions\//, async (route) => {
        isOpened.resolve();
        await goOn.promise;
        await route.continue();
      });
      await server.stop();
      await page.getByText('The server is restarting.').waitFor();
      await page.keyboard.type('1');
      server = await startServer({ home, env: { SVC_PORT: port } });
      await isOpened.promise;
      await page.keyboard.type('23');
      goOn.resolve();
      await page.keyboard.type('456789');
      await page.getByText('connected', { exact: true }).waitFor();
      await page.keyboard.type('!');
      await page.locator(`[data-cell="${id}"] .cm-line`, { hasText: /^a123456789!b$/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('z');
      await page.getByText('Nothing to undo since the server was restarted.').first().waitFor();
      await page.close();
    } finally {
      await server.stop('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('keeps a key that is pressed in the moment in which the editor gives way to the one of the new session', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    let server = await startServer({ home });
    const port = new URL(server.address).port;
    try {
      const notebook = await createTestNotebook(server);
      const id = await notebook.add('ab');
      const page = await browser.newPage();
      await openAt(page, server.address, notebook.sessionId);
      await page.locator(`[data-cell="${id}"]`).click({ position: { x: 4, y: 4 } });
      await page.keyboard.press('Enter');
      await page.locator('.cm-editor.cm-focused').waitFor();
      await page.keyboard.press('Control+End');
      await server.stop();
      await page.getByText('The server is restarting.').waitFor();
      await page.keyboard.type('1');
      const isKept =
        "Object.entries(localStorage).some(([name, text]) => name.startsWith('svc.drafts:') && text.includes('ab1'))";
      await until(() => page.evaluate<boolean>(isKept), 'what was typed to be kept');
      // What was typed is kept once more when the old session is closed, just before the new one is shown.
      await page.evaluate(`{
        const keep = Storage.prototype.setItem;
        Storage.prototype.setItem = function (name, text) {
          keep.call(this, name, text);
          if (!name.startsWith('svc.drafts:')) return;
          Storage.prototype.setItem = keep;
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => document.execCommand('insertText', false, '2');
          port2.postMessage('a task of its own, as a key is');
        };
      }`);
      server = await startServer({ home, env: { SVC_PORT: port } });
      await page.getByText('connected', { exact: true }).waitFor();
      await page.keyboard.type('3');
      await page.locator(`[data-cell="${id}"] .cm-line`, { hasText: /^ab123$/ }).waitFor();
      await page.close();
    } finally {
      await server.stop('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('two browsers see each other’s edits, and text typed offline arrives', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('# @name first\none = 1');
    const [ann, ben] = [await browser.newPage(), await browser.newPage()];
    await Promise.all([
      openAt(ann, server.address, notebook.sessionId),
      openAt(ben, server.address, notebook.sessionId),
    ]);

    await ann.keyboard.press('Enter');
    await ann.keyboard.press('Control+End');
    await ann.keyboard.type('\ntwo = 2');
    await cell(ben, /^first/)
      .getByText('two = ')
      .waitFor();

    await ann.context().setOffline(true);
    // An open socket outlives a browser that is offline; the server ends it.
    await ann.evaluate('window.dispatchEvent(new Event("offline"))');
    await ann.keyboard.type('\nthree = 3');
    await ann.context().setOffline(false);
    await cell(ben, /^first/)
      .getByText('three = ')
      .waitFor();
    assert.equal((await notebook.state()).cells.at(-1)?.source, '# @name first\none = 1\ntwo = 2\nthree = 3');
    await ann.close();
    await ben.close();
  });

  it('goes on by itself after the server died, with what was typed meanwhile', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    const first = await startServer({ home });
    const { port } = new URL(first.address);
    const notebook = await createTestNotebook(first);
    await notebook.add('# @name kept\nx = 1');
    const page = await browser.newPage();
    await openAt(page, first.address, notebook.sessionId);
    await first.stop('SIGKILL');
    await page.getByText('Not connected.').waitFor();
    await cells(page).first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\ny = 2');
    await using second = await startServer({ home, env: { SVC_PORT: port } });
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    assert.ok(!page.url().includes(notebook.sessionId));
    const again = await openTestNotebook(second, notebook.path);
    assert.equal((await again.state()).cells.at(-1)?.source, '# @name kept\nx = 1\ny = 2');
    // Whoever writes goes on writing where they were: no key that follows means a command.
    await page.keyboard.type('add');
    await until(
      async () => (await again.state()).cells.at(-1)?.source === '# @name kept\nx = 1\ny = 2add',
      'what was typed after that',
    );
    await page.close();
  });

  it('new cells are written in at once, and earlier results are looked at again', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('# from a file\nprint("one")\n');
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await openAt(page, server.address, notebook.sessionId);
    // The newline that ends the file is no line to see, and stays when somebody writes.
    assert.equal(await cells(page).first().locator('.line').count(), 2);
    await cells(page).first().focus();
    await page.keyboard.press('Control+Enter');
    await page.getByText('one', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('print("two")');
    await page.keyboard.press('Control+Enter');
    await page.getByText('two', { exact: true }).waitFor();
    assert.equal((await notebook.cell(id)).source, 'print("two")\n');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+H');
    const earlier = page.getByRole('region', { name: 'Earlier results' });
    await earlier.getByText('one', { exact: true }).waitFor();
    await picture(page, 'earlier');
    // What made it is shown, comes back, and goes again.
    await earlier.getByText('# from a file').waitFor();
    await earlier.getByRole('button', { name: 'Put this source back' }).click();
    await earlier.getByText('Same source as now').waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    assert.equal((await notebook.cell(id)).source, '# from a file\nprint("one")\n');
    await cells(page).first().focus();
    await page.keyboard.press('z');
    await earlier.getByRole('button', { name: 'Put this source back' }).waitFor();
    await page.getByText('saved', { exact: true }).waitFor();
    assert.equal((await notebook.cell(id)).source, 'print("two")\n');
    await earlier.getByRole('button', { name: 'Close' }).click();
    // What a new cell of controls begins with is an example.
    await page.getByRole('button', { name: 'Widget' }).last().click();
    await page.locator('.cm-content').getByText('slider').waitFor();
    await page.keyboard.type('beta = slider(0, 4, default=2)');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('slider', { name: /beta/ }).waitFor();
    assert.equal((await notebook.state()).cells.at(-1)?.source.trim(), 'beta = slider(0, 4, default=2)');
    // A query has somewhere to go, also in a notebook without connections.
    await page.getByRole('button', { name: 'SQL', exact: true }).last().click();
    await page.keyboard.type('SELECT :beta * 21 AS product');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('cell', { name: '42', exact: true }).waitFor();
    assert.equal(
      (await notebook.state()).cells.at(-1)?.source.trim(),
      '# @sql connection=duckdb\nSELECT :beta * 21 AS product',
    );
    // Whoever comes to a control with the keyboard turns it, whichever cell was selected.
    await page.keyboard.press('Escape');
    await page.getByRole('slider', { name: /beta/ }).focus();
    await page.keyboard.press('End');
    await page.locator('input.slider:focus').waitFor();
    assert.equal(await page.getByRole('slider', { name: /beta/ }).inputValue(), '4');
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('a cell that is pointed at has a handle to drag it by and buttons for a cell below', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const ids = [await notebook.add('a = 1'), await notebook.add('b = 2'), await notebook.add('c = 3')];
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await openAt(page, server.address, notebook.sessionId);
    await cell(page, /^b/).hover();
    await cell(page, /^b/).getByTitle('Drag b', { exact: true }).dragTo(cell(page, /^c/));
    await cell(page, /^b/).and(page.locator('[aria-posinset="3"]')).waitFor();
    await cell(page, /^a/).hover();
    await cell(page, /^a/).getByRole('button', { name: 'Note', exact: true }).click();
    await cells(page).and(page.locator('[aria-posinset="2"][aria-setsize="4"]')).waitFor();
    const now = (await notebook.state()).cells;
    assert.deepEqual(
      now.map(({ id, language }) => (ids.includes(id) ? id : language)),
      [ids[0], 'markdown', ids[2], ids[1]],
    );
    assert.deepEqual(problems, []);
    await page.close();
  });

  it('is walked through by keys alone', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const ids = [await notebook.add('a = 1'), await notebook.add('b = 2'), await notebook.add('c = 3')];
    const page = await browser.newPage();
    await openAt(page, server.address, notebook.sessionId);
    await cell(page, /^a/).focus();
    await page.keyboard.press('j');
    await page.keyboard.press('Alt+ArrowDown');
    await page.locator('[role=listitem]:focus[aria-posinset="3"]').waitFor();
    assert.deepEqual(
      (await notebook.state()).cells.map(({ id }) => id),
      [ids[0], ids[2], ids[1]],
    );
    await page.keyboard.press('m');
    await cell(page, /, markdown,/).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('outline');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Outline' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.getByRole('dialog', { name: 'Find in all cells' }).waitFor();
    await page.keyboard.type('c = ');
    await page.getByText('1 place in 1 cell').waitFor();
    await page.keyboard.press('Escape');
    await page.close();
  });

  it('shows every kind of output, accessible in light, dark and narrow', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Quarterly sales');
    const note = await notebook.request('POST', '/cells', { language: 'markdown' });
    await notebook.edit(
      JSON.parse(note.text).id,
      '# Quarterly sales\n\nRevenue by region with $e^{i\\pi} = -1$ and a *small* forecast.',
    );
    for (const source of outputs) await notebook.run(await notebook.add(source));
    await notebook.edit(
      await notebook.add('# @name broken\nprint(undefined_name)'),
      '# @name broken\nprint(undefined_name)',
    );
    const last = (await notebook.state()).cells.at(-1)?.id ?? '';
    await notebook.run(last);
    for (const look of [
      { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
      { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
      { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
    ] as const) {
      const page = await browser.newPage(look);
      const { problems } = watchPage(page, () => server.address);
      await openAt(page, server.address, notebook.sessionId);
      await page.frameLocator('iframe').getByText('from html').waitFor();
      await page.locator('.note-body math').waitFor();
      await cell(page, /^config/).focus();
      await page.keyboard.press('End');
      await page.locator('.chart .bars').waitFor();
      await page.locator('.chart svg.marks').scrollIntoViewIfNeeded();
      await picture(page, `charts-${look.name}`);
      await assertAccessible(page, `charts, ${look.name}`);
      await page.keyboard.press('Home');
      await page.frameLocator('iframe').getByText('from html').waitFor();
      await picture(page, `notebook-${look.name}`);
      await assertAccessible(page, `notebook, ${look.name}`);
      await assertFits(page, `notebook, ${look.name}`);
      for (const panel of ['Outline', 'Graph', 'Variables', 'Environment', 'Time', 'Settings']) {
        await page.getByRole('button', { name: panel, exact: true }).click();
        await page.getByRole('complementary', { name: panel }).waitFor();
        await page.locator('.panel-body > *').first().waitFor();
        await page.waitForLoadState('networkidle');
        await picture(page, `panel-${panel.toLowerCase()}-${look.name}`);
        await assertAccessible(page, `panel ${panel}, ${look.name}`);
      }
      await page.getByRole('button', { name: /^Close/ }).click();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Commands' }).waitFor();
      await picture(page, `palette-${look.name}`);
      await assertAccessible(page, `palette, ${look.name}`);
      await page.keyboard.press('Escape');
      await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
      await page.getByRole('link', { name: 'Edit' }).waitFor();
      await picture(page, `app-${look.name}`);
      await assertAccessible(page, `app, ${look.name}`);
      for (const place of ['logs', 'artifacts', '']) {
        await page.goto(`${server.address}/#/${place}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await picture(page, `${place || 'home'}-${look.name}`);
        await assertAccessible(page, `${place || 'home'}, ${look.name}`);
        await assertFits(page, `${place || 'home'}, ${look.name}`);
      }
      assert.deepEqual(
        problems.filter((problem) => !problem.includes('404')),
        [],
      );
      await page.close();
    }
  });
});

describe('focus', () => {
  it('a click beside the text of a cell leaves the text: keys are commands then, and Enter goes back to it', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await notebook.add('first = 1');
    const page = await browser.newPage();
    await openAt(page, server.address, notebook.sessionId);
    await page.locator('.code-place').click();
    await page.locator('.cell.editing .cm-content:focus').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' + 1');
    await page.locator('.cell-bar').click({ position: { x: 200, y: 8 } });
    await page.locator('.cell.selected:not(.editing):focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.cell.editing .cm-content:focus').waitFor();
    await page.keyboard.type(' + 2');
    assert.equal(await page.locator('.cm-content').innerText(), 'first = 1 + 1 + 2');
    await page.close();
  });
});

describe('panels and tools', () => {
  it('install what is missing, turn a control, test a cell', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const widget: { id: string } = JSON.parse((await notebook.request('POST', '/cells', { language: 'widget' })).text);
    await notebook.edit(widget.id, 'alpha = slider(0, 10, step=1, default=3)');
    await notebook.add('# @name doubled\ndoubled = alpha * 2\ndoubled');
    await notebook.add('# @name above\nabove = 1');
    await notebook.add('# @name missing\nimport six\nimport iniconfig\nsix.__name__, above');
    const page = await browser.newPage();
    // Whoever asks for a package is not asked about the cells above that it makes stale, though nothing else runs unasked.
    await page.addInitScript("localStorage.setItem('svc.askAboveSeconds', '0')");
    await openAt(page, server.address, notebook.sessionId);
    await page.getByRole('button', { name: /^Run \d+ cells?/ }).click();
    await cell(page, /^doubled, python, ready/)
      .getByText('6', { exact: true })
      .waitFor();
    // All of them are offered to whoever comes later too.
    await page.getByRole('button', { name: 'Install six and iniconfig' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Install six and iniconfig' }).waitFor();
    await page.getByRole('button', { name: 'Environment', exact: true }).click();
    await page.getByRole('button', { name: 'Install six and iniconfig' }).click();
    await cell(page, /^missing, python, ready/).waitFor();
    await page.getByRole('button', { name: 'Remove six' }).waitFor();

    // What is only imported is not in the way, and found by whoever looks for it.
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    const names = page.getByRole('complementary', { name: 'Variables' });
    await names.getByText('doubled', { exact: true }).waitFor();
    await names.getByText('2 imports', { exact: true }).waitFor();
    assert.equal(await names.getByText('six', { exact: true }).isVisible(), false);
    await names.getByRole('searchbox', { name: 'Search variables' }).fill('six');
    await names.getByText('six', { exact: true }).waitFor();

    await page.getByRole('slider', { name: 'alpha' }).fill('5');
    await cell(page, /^doubled, python, stale/)
      .getByRole('button', { name: 'Run', exact: true })
      .click();
    await cell(page, /^doubled, python, ready/)
      .getByText('10', { exact: true })
      .waitFor();

    await cell(page, /^doubled/)
      .getByRole('button', { name: 'More for this cell' })
      .click();
    await page.getByRole('menuitem', { name: /^Inspect/ }).click();
    await page.getByRole('textbox', { name: 'Expression' }).fill('alpha + 1');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Inspect inputs' }).getByText('6', { exact: true }).waitFor();
    await page.close();
  });
});

describe('controls', () => {
  it('say what the cells got, also of values that were chosen before, by whoever', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const { id: widget } = Object((await notebook.request('POST', '/cells', { language: 'widget' })).json);
    await notebook.edit(widget, '# @live\nletter = dropdown(["A", "B"])\nrate = slider(0, 10, step=1, default=3)');
    await notebook.add('# @name shown\nshown = f"{letter} {rate}"\nshown');
    const [page, other] = [await browser.newPage(), await browser.newPage()];
    for (const one of [page, other]) await openAt(one, server.address, notebook.sessionId);
    await page.getByRole('button', { name: /^Run \d+ cells?/ }).click();
    await cell(page, /^shown, python, ready/)
      .getByText('A 3')
      .waitFor();
    for (const letter of ['B', 'A', 'B', 'A']) {
      await page.getByRole('combobox', { name: 'letter' }).selectOption(letter);
      for (const one of [page, other]) {
        await cell(one, /^shown, python, ready/)
          .getByText(`${letter} 3`)
          .waitFor();
        assert.equal(await one.getByRole('combobox', { name: 'letter' }).inputValue(), letter);
      }
    }
    await other.getByRole('slider', { name: 'rate' }).fill('7');
    await cell(page, /^shown, python, ready/)
      .getByText('A 7')
      .waitFor();
    assert.equal(await page.getByRole('slider', { name: 'rate' }).inputValue(), '7');
    for (const one of [page, other]) await one.close();
  });
});

const outputs = [
  '# @name config\nconfig = {"region": "north", "limits": [1, 2, 3], "deep": {"a": None, "b": True}}\nconfig',
  '# @name page\nclass Page:\n    def _repr_html_(self):\n        return "<b>from html</b><script>document.body.append(1 + 1)</script>"\nPage()',
  '# @name formula\nclass Formula:\n    def _repr_latex_(self):\n        return r"$\\sum_{i=1}^n i^2$"\nFormula()',
  "# @name drawing\nclass Drawing:\n    def _repr_svg_(self):\n        return \"<svg xmlns='http://www.w3.org/2000/svg' width='120' height='40'><rect width='120' height='40' fill='teal'/></svg>\"\nDrawing()",
  [
    '# @name bars',
    'import json',
    'class Figure:',
    '    def to_plotly_json(self):',
    '        return {}',
    '    def to_json(self):',
    '        return json.dumps({"data": [{"type": "bar", "x": ["north", "south"], "y": [2, 3]}], "layout": {"height": 220}})',
    'Figure()',
  ].join('\n'),
  [
    '# @name points',
    'class Chart:',
    '    def _repr_mimebundle_(self, include=None, exclude=None):',
    '        values = [{"a": 1, "b": 2}, {"a": 2, "b": 3}]',
    '        encoding = {"x": {"field": "a", "type": "quantitative"}, "y": {"field": "b", "type": "quantitative"}}',
    '        return {"application/vnd.vegalite.v5+json": {"data": {"values": values}, "mark": "point", "encoding": encoding}}',
    'Chart()',
  ].join('\n'),
  '# @name printed\nfor i in range(60):\n    print("line", i)',
  '# @name warned\nimport sys\nprint("half of it is done", file=sys.stderr)\nprint("done")',
];
