// A notebook on a server that is far away: what is typed and pressed counts at once, for the cell that it was meant for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import type { CellRecord } from '../src/protocol/index.ts';
import { openBrowser, type TestBrowser } from './kit/browser.ts';
import { farAway } from './kit/farAway.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

/** There and back: 240 ms, as between continents. */
const millisecondsAway = 120;

async function openPage(browser: TestBrowser, address: string, { sessionId }: TestNotebook) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => address);
  await page.goto(`${address}/#/notebook/${sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page
    .getByRole('listitem', { name: /python/ })
    .first()
    .waitFor();
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  return { page, problems, press, type: (text: string) => page.keyboard.type(text, { delay: 10 }) };
}

/** Once the server has it. */
async function cellsAre(notebook: TestNotebook, wanted: readonly unknown[], told: (cell: CellRecord) => unknown) {
  const now = async (): Promise<unknown[]> => (await notebook.state()).cells.map(told);
  await until(async () => isDeepStrictEqual(await now(), wanted), 'the cells are as they were written', {
    seconds: 60,
  }).catch(() => {});
  assert.deepEqual(await now(), wanted);
}

const source = ({ source }: CellRecord): string => source;
const printed = ({ source, console_stdout, status }: CellRecord) => [source, console_stdout, status];

/** The page sends what was typed after a pause of 400 ms: what it has just sent is still on its way. */
const pause = (page: Page): Promise<void> => page.waitForTimeout(450);

describe('whoever is far away', () => {
  it('runs what is on the page, one cell after the other, without waiting for any', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    await using far = await farAway(server.address, millisecondsAway);
    const notebook = await createTestNotebook(server, 'Far');
    await notebook.add('x = 1');
    const { page, problems, press, type } = await openPage(browser, far.address, notebook);
    await page.locator('.code').first().click();
    await press('Control+End');
    await type('\nprint("half');
    await pause(page);
    await type(' and whole")');
    await press('Shift+Enter');
    await type('y = x + 1\nprint(y)');
    await press('Shift+Enter');
    await type('print(y * 10)');
    await press('Control+Enter');
    await cellsAre(
      notebook,
      [
        ['x = 1\nprint("half and whole")', 'half and whole\n', 'ready'],
        ['y = x + 1\nprint(y)', '2\n', 'ready'],
        ['print(y * 10)', '20\n', 'ready'],
      ],
      printed,
    );
    assert.deepEqual(problems, []);
  });

  it('adds, changes, splits and deletes cells, and types on', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    await using far = await farAway(server.address, millisecondsAway);
    const notebook = await createTestNotebook(server, 'Far');
    await notebook.add('first = 1');
    const { page, problems, press, type } = await openPage(browser, far.address, notebook);
    await page
      .getByRole('listitem', { name: /python/ })
      .first()
      .click({ position: { x: 4, y: 4 } });

    // As everybody writes a heading: a cell below, Markdown, into it.
    await press('b', 'm', 'Enter');
    await type('# Dear diary, dd and x are letters');
    await press('Escape', 'b', 'b', 'Enter');
    await type('third = 3');
    await press('Escape', 'a', 'Enter');
    await type('second = 2');
    const written = ['first = 1', '# Dear diary, dd and x are letters', '', 'second = 2', 'third = 3'];
    await cellsAre(notebook, written, source);

    // What is typed after a split stands before the second part.
    await press('Home');
    await type('start = 0\n');
    await press('Control+Shift+Minus');
    await type('half = 1\n');
    const split = [...written.slice(0, 3), 'start = 0', 'half = 1\nsecond = 2', 'third = 3'];
    await cellsAre(notebook, split, source);

    await press('Escape', 'd', 'd', 'Enter');
    await type(' + 0');
    await cellsAre(notebook, [...split.slice(0, 4), 'third = 3 + 0'], source);
    await press('Escape', 'z');
    await cellsAre(notebook, [...split.slice(0, 5), 'third = 3 + 0'], source);
    await press('Shift+C', 'Enter');
    await press('Control+End');
    await cellsAre(notebook, [...split.slice(0, 5), split[4], 'third = 3 + 0'], source);
    await type(' + 1');
    await cellsAre(notebook, [...split.slice(0, 5), `${split[4]} + 1`, 'third = 3 + 0'], source);
    assert.deepEqual(problems, []);
  });
});
