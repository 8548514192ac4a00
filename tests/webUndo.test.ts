// Second thoughts in a real browser: a deletion is taken back with what the cell gave, a run is stopped, cells go elsewhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

describe('second thoughts', () => {
  it('bring a cell back with its result, and stop one that takes too long', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const slow = await notebook.add('# @name slow\nimport time\nprint("on its way", flush=True)\ntime.sleep(600)');
    const quick = await notebook.add('# @name quick\nprint("counted")\n6 * 7');
    const other = await notebook.add('# @name other\n"kept"');
    for (const id of [quick, other]) await notebook.run(id);
    const before = (await notebook.state()).cells;

    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    await page.getByText('connected', { exact: true }).waitFor();
    await cell(/^quick, python, ready/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await page.getByText('2 cells deleted').first().waitFor();
    await cell(/^other/).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await cell(/^quick, python, ready/)
      .getByText('42', { exact: true })
      .waitFor();
    await cell(/^quick/)
      .getByText('counted', { exact: true })
      .waitFor();
    await cell(/^other, python, ready/).waitFor();
    await page.getByText('Undid deleting 2 cells.').first().waitFor();
    assert.deepEqual((await notebook.state()).cells, before);

    // What is cut is taken back the same way.
    await cell(/^other/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('x');
    await cell(/^other/).waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await cell(/^other, python, ready/).waitFor();
    assert.deepEqual((await notebook.state()).cells, before);

    await cell(/^slow/).getByRole('button', { name: 'Run', exact: true }).click();
    await cell(/^slow, python, running/)
      .getByText('on its way', { exact: true })
      .waitFor();
    await cell(/^slow/).getByRole('button', { name: 'Stop' }).click();
    await cell(/^slow, python, stopped after/)
      .getByText(/^stopped after/)
      .waitFor();
    await picture(page, 'notebook-stopped');
    await assertAccessible(page, 'a stopped cell');
    const frames = notebook.framesUntil(({ payload }) => payload.cell_id === slow && payload.status === 'running');
    await cell(/^slow/).getByRole('button', { name: 'Run again' }).click();
    await frames;
    await notebook.request('POST', `/cells/${slow}/cancel`);
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('cells that are cut and copied', () => {
  it('are pasted below another, also in another notebook', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const [here, there] = [await createTestNotebook(server, 'Here'), await createTestNotebook(server, 'There')];
    for (const source of ['a = 1', 'b = 2', 'c = 3']) await here.add(source);
    await there.add('z = 0');
    const sources = async ({ state }: typeof here) => (await state()).cells.map(({ source }) => source);

    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    const open = async ({ sessionId }: typeof here) => {
      await page.goto(`${server.address}/#/notebook/${sessionId}`);
      await page.getByText('connected', { exact: true }).waitFor();
    };
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    await open(here);
    await cell(/^a/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('v');
    await page.getByText('Nothing to paste').first().waitFor();
    // Keys that come faster than the server answers.
    await page.keyboard.press('x');
    await page.keyboard.press('v');
    await cell(/^b/).waitFor();
    await page.locator('[role=listitem].selected[aria-label^="a"][aria-posinset="2"]').waitFor();
    assert.deepEqual(await sources(here), ['b = 2', 'a = 1', 'c = 3']);

    await page.keyboard.press('Shift+J');
    await page.keyboard.press('c');
    await page.getByText('2 cells copied').first().waitFor();
    await open(there);
    await cell(/^z/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('v');
    await page.locator('[role=listitem].selected[aria-label^="c"]').waitFor();
    assert.deepEqual(await sources(there), ['z = 0', 'a = 1', 'c = 3']);
    await page.keyboard.press('z');
    await page.getByText('Undid pasting.').first().waitFor();
    assert.deepEqual(await sources(there), ['z = 0']);
    assert.deepEqual(await sources(here), ['b = 2', 'a = 1', 'c = 3']);
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('Ctrl+Z', () => {
  it('after a rename takes back the deletion that it was pressed for, and leaves the name', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    for (const source of ['a = 1', 'b = 2']) await notebook.add(source);
    const before = (await notebook.state()).cells;

    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    const name = page.getByRole('textbox', { name: 'Name of the notebook' });
    await name.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Second');
    const renamed = notebook.framesUntil(({ type, payload }) => type === 'notebook_state' && payload.name === 'Second');
    await page.keyboard.press('Enter');
    await renamed;
    await cell(/^a/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await cell(/^a/).waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid deleting a cell.').first().waitFor();
    await cell(/^a/).waitFor();
    const after = await notebook.state();
    assert.deepEqual([await name.inputValue(), after.name, after.cells], ['Second', 'Second', before]);

    // While text is written it is the text's own.
    await page.keyboard.press('Enter');
    const editor = page.getByRole('textbox', { name: /^Source of a/ });
    await editor.waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type('0');
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('ControlOrMeta+z');
    assert.equal(await editor.innerText(), 'a = 1');
    assert.deepEqual(
      (await notebook.state()).cells.map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('changes on a slow line', () => {
  it('begin with what the one before left, also when the page hears of it late', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    for (const source of ['a = 1', 'b = 2', 'c = 3']) await notebook.add(source);
    const sources = async () => (await notebook.state()).cells.map(({ source }) => source).join();
    const page = await browser.newPage();
    // Answers come at once; what is told to everybody comes later.
    await page.routeWebSocket(/\/v1\/notebooks\/ws\//, (socket) => {
      const line = socket.connectToServer();
      line.onMessage((message) => void setTimeout(() => socket.send(message), 400));
    });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    for (const key of ['Alt+ArrowDown', 'd', 'd']) await page.keyboard.press(key);
    await until(async () => (await sources()) === 'b = 2,c = 3', 'a to be moved and deleted');
    await page.getByText('Cell deleted').first().waitFor();
    await page.keyboard.press('z');
    await page.getByText('Undid deleting a cell.').first().waitFor();
    assert.equal(await sources(), 'b = 2,a = 1,c = 3');
    await page.keyboard.press('z');
    await page.getByText('Undid moving.').first().waitFor();
    assert.equal(await sources(), 'a = 1,b = 2,c = 3');
    await page.close();
  });
});

describe('replacing in all cells', () => {
  it('can be taken back as one change, as far as nobody wrote something else meanwhile', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const sources = ['price = 1', 'double = price * 2', 'other = 3', 'price + double'];
    const ids: string[] = [];
    for (const source of sources) ids.push(await notebook.add(source));
    const texts = async () => (await notebook.state()).cells.map(({ source }) => source);

    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    const hasText = (text: string) =>
      notebook.framesUntil(({ type, payload }) => type === 'dag_update' && JSON.stringify(payload).includes(text));
    const replaceAll = async () => {
      await page.keyboard.press('/');
      await page.getByLabel('Find', { exact: true }).fill('price');
      await page.getByLabel('Replace with').fill('cost');
      const told = hasText('cost + double');
      await page.getByRole('button', { name: 'Replace all' }).click();
      await page.getByText('3 places in 3 cells replaced.').first().waitFor();
      await picture(page, 'replaced');
      await page.keyboard.press('Escape');
      await told;
    };
    await cell(/^other/).click({ position: { x: 4, y: 4 } });
    await replaceAll();
    assert.deepEqual(await texts(), ['cost = 1', 'double = cost * 2', 'other = 3', 'cost + double']);
    const back = hasText('price + double');
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid replacing “price” with “cost”.').first().waitFor();
    await back;
    assert.deepEqual(await texts(), sources);

    await replaceAll();
    await notebook.edit(ids[1] ?? '', 'double = cost + cost');
    await cell(/^double/)
      .getByText('cost + cost')
      .waitFor();
    await page.keyboard.press('z');
    await page.getByText('1 cell was changed since and stays as written.').first().waitFor();
    await cell(/^price/)
      .first()
      .waitFor();
    assert.deepEqual((await texts())[1], 'double = cost + cost');
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('a step that cannot be undone', () => {
  it('stays and says why: it is tried again, or left out', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Stuck');
    await notebook.add('a = 1');
    const sources = async () => (await notebook.state()).cells.map(({ source }) => source.trim());
    const page = await browser.newPage();
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('b');
    await page.getByRole('listitem').nth(1).waitFor();
    const name = page.getByRole('textbox', { name: 'Name of the notebook' });
    const rename = async (to: string): Promise<void> => {
      await name.fill(to);
      await name.press('Enter');
      await until(async () => (await notebook.state()).name === to, `the name ${to}`);
    };
    await rename('Renamed');
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    const refused = '**/v1/notebooks/*/name';
    const refuse = () =>
      page.route(refused, (route) => route.fulfill({ status: 409, json: { detail: 'Somebody holds it.' } }));
    await refuse();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Could not undo renaming the notebook: Somebody holds it.').waitFor();
    await picture(page, 'undo-stuck');
    await assertAccessible(page, 'a step that cannot be undone');
    await page.unroute(refused);
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid renaming the notebook.').first().waitFor();
    assert.equal((await notebook.state()).name, 'Stuck');
    // The next failure says the same: only its own button is pressed.
    await page.getByRole('button', { name: 'Skip this step' }).waitFor({ state: 'detached' });

    await rename('Renamed');
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    await refuse();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByRole('button', { name: 'Skip this step' }).last().click();
    await page.getByText('Skipped renaming the notebook: it stays as it is.').waitFor();
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('Undid adding a cell.').first().waitFor();
    assert.deepEqual([await sources(), (await notebook.state()).name], [['a = 1'], 'Renamed']);
    await page.close();
  });
});

describe('a new name', () => {
  it('is undone by a key that comes before the server answers; what is typed until then stays', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'First');
    await notebook.add('a = 1');
    const page = await browser.newPage();
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const places = '**/v1/notebooks/*/name';
    /** The next answers wait until it is called. */
    const hold = async (): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await page.unroute(places);
      await page.route(places, async (route) => {
        await promise;
        await route.continue();
      });
      return resolve;
    };
    const name = page.getByRole('textbox', { name: 'Name of the notebook' });
    const goOn = await hold();
    await name.fill('Second');
    await name.press('Enter');
    await page.keyboard.press('ControlOrMeta+z');
    goOn();
    await page.locator('.notice').first().waitFor();
    assert.deepEqual(await page.locator('.notice > span').allInnerTexts(), ['Undid renaming the notebook.']);
    assert.equal((await notebook.state()).name, 'First');

    const andOn = await hold();
    await name.fill('Third');
    await name.press('Enter');
    await name.fill('Fourth');
    andOn();
    await until(async () => (await page.title()) === 'Third', 'the page is told of the name');
    await name.press('Enter');
    await until(async () => (await notebook.state()).name === 'Fourth', 'the name that was typed meanwhile');
    await page.close();
  });
});

describe('undo by the palette', () => {
  it('of the cell that one writes in leaves keys commands, and blames nobody', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Own');
    await notebook.add('a = 1');
    const sources = async () => (await notebook.state()).cells.map(({ source }) => source.trim());
    const page = await browser.newPage();
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('listitem', { name: /^a/ }).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('b');
    await page.getByRole('listitem').nth(1).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.cm-content').waitFor();
    await page.keyboard.type('b = 2');
    await until(async () => (await sources()).includes('b = 2'), 'the server has what was typed');
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('undo');
    await page.keyboard.press('Enter');
    await page.getByText('Undid adding a cell.').first().waitFor();
    await until(async () => (await page.getByRole('listitem').count()) === 1, 'the cell is gone');
    await page.keyboard.press('b');
    await until(async () => isDeepStrictEqual(await sources(), ['a = 1', '']), 'the key added a cell');
    assert.equal(await page.getByText('deleted elsewhere').count(), 0);
    await page.close();
  });
});

describe('Ctrl+Shift+Z', () => {
  it('makes again what Ctrl+Z took back: cells, moves, texts and settings, and no field takes the focus', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Again');
    for (const source of ['a = 1', 'b = 2', 'c = 3']) await notebook.add(source);
    const standing = async () => {
      const { name, cells } = await notebook.state();
      return [name, cells.map(({ id, source }) => `${id} ${source}`)];
    };
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = (name: RegExp) => page.getByRole('listitem', { name });
    const told = (text: string) => page.getByText(text).first().waitFor();
    const seen: unknown[] = [await standing()];
    const saw = async () => void seen.push(await standing());

    await cell(/^a/).click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await told('Cell deleted');
    await saw();
    await page.keyboard.press('Alt+ArrowDown');
    await page.locator('[role=listitem].selected[aria-label^="b"][aria-posinset="2"]').waitFor();
    await saw();
    await page.keyboard.press('ControlOrMeta+f');
    const dialog = page.getByRole('dialog', { name: 'Find in all cells' });
    await dialog.getByLabel('Find', { exact: true }).fill('(\\w) = (\\d)');
    await dialog.getByLabel('Regular expression').check();
    await dialog.getByLabel('Replace with').fill('$1 = $20');
    await dialog.getByText('2 places in 2 cells').waitFor();
    await picture(page, 'find-pattern');
    await assertAccessible(page, 'finding a pattern');
    await dialog.getByRole('button', { name: 'Replace all' }).click();
    await told('2 places in 2 cells replaced.');
    await page.keyboard.press('Escape');
    await cell(/^b/).getByText('b = 20').waitFor();
    await settled(notebook, 'b = 20', 'c = 30');
    await saw();
    const name = page.getByRole('textbox', { name: 'Name of the notebook' });
    await name.fill('Renamed');
    const renamed = notebook.framesUntil(
      ({ type, payload }) => type === 'notebook_state' && payload.name === 'Renamed',
    );
    await name.press('Enter');
    await renamed;
    await saw();

    await cell(/^b/).click({ position: { x: 4, y: 4 } });
    const labels = ['renaming the notebook', 'replacing', 'moving', 'deleting a cell'];
    for (const [index, label] of labels.entries()) {
      await page.keyboard.press('ControlOrMeta+z');
      await told(`Undid ${label}`);
      if (label === 'replacing') await settled(notebook, 'b = 2', 'c = 3');
      assert.deepEqual(await standing(), seen[seen.length - 2 - index], label);
    }
    for (const [index, label] of labels.toReversed().entries()) {
      await page.keyboard.press('ControlOrMeta+Shift+z');
      await told(`Redid ${label}`);
      if (label === 'replacing') await settled(notebook, 'b = 20', 'c = 30');
      assert.deepEqual(await standing(), seen[index + 1], label);
    }
    assert.notEqual(await page.evaluate('document.activeElement.tagName'), 'INPUT');
    assert.deepEqual(problems, []);
  });

  it('is not needed to replace one place after the other', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'One by one');
    const above = await notebook.add('y = 0');
    await notebook.add('x = 1\nx + x');
    const page = await browser.newPage();
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+f');
    const dialog = page.getByRole('dialog', { name: 'Find in all cells' });
    await dialog.getByLabel('Find', { exact: true }).fill('x');
    await dialog.getByLabel('Replace with').fill('xx');
    await dialog.getByText('3 places in 1 cell').waitFor();
    await dialog.getByRole('button', { name: 'Replace this one' }).click();
    await settled(notebook, 'y = 0', 'xx = 1\nx + x');
    await dialog.getByRole('button', { name: 'Next' }).click();
    // What somebody else writes above leaves the place where it is.
    await notebook.edit(above, 'y = x');
    await dialog.getByText('5 places in 2 cells').waitFor();
    await dialog.getByRole('button', { name: 'Replace this one' }).click();
    await settled(notebook, 'y = x', 'xx = 1\nx + xx');
  });
});

/** Resolves when the server has cells with these texts. */
async function settled(notebook: TestNotebook, ...sources: readonly string[]): Promise<void> {
  for (;;) {
    const next = notebook.framesUntil(() => true);
    next.catch(() => {}); // nobody waits for it when the text is there
    const { cells } = await notebook.state();
    if (sources.every((source) => cells.some((cell) => cell.source === source))) return;
    await next;
  }
}
