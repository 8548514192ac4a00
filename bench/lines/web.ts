// The web app as a person meets it: how soon something is there, how much is loaded for it, and whether a large notebook or
// a talkative cell makes it stutter.
import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { longestTask } from '../notebooks/longTasks.ts';
import { withPage, workedSeconds } from '../notebooks/page.ts';
import { placeNotebook } from '../notebooks/place.ts';
import { startNotebookServer } from '../notebooks/server.ts';
import { chapters } from '../notebooks/sources.ts';

/** The address of the page of an open notebook. */
const openedPage = (sources: readonly string[]) =>
  kept(async (context: Context): Promise<string> => {
    const server = await startNotebookServer(context);
    const { directory } = await placeNotebook(server, { name: 'Measured', sources });
    const { session_id } = await server.open(directory);
    return `http://127.0.0.1:${server.port}/#/notebook/${session_id}`;
  });

const small = openedPage(['x = 1\nx']);
const large = openedPage(chapters(2000));
const talkative = openedPage(['for i in range(100_000):\n    print("line", i)']);

const millionRows = openedPage([
  'import pyarrow as pa\nn = pa.array(range(1_000_000))\npa.table({"n": n, "half": n.cast("float64"), "word": n.cast("string")})',
]);

const untilCells = (page: Page): Promise<void> => page.locator('.cell').first().waitFor();
const untilConnected = (page: Page): Promise<void> => page.getByText('connected', { exact: true }).waitFor();

export const webFirstPaint: Line = {
  name: 'first paint of a notebook page, cold cache',
  unit: 'ms',
  budget: { atMost: 1000 },
  warmUp: true,
  async ours(context) {
    const address = await small(context);
    return withPage(async (page) => {
      await page.goto(address);
      await untilCells(page);
      return Number(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    });
  },
};

export const webScripts: Line = {
  name: 'JavaScript that a notebook page loads, gzipped',
  unit: 'KiB',
  budget: { atMost: 350 },
  async ours(context) {
    const address = await small(context);
    return withPage(async (page) => {
      const bodies: Promise<Buffer>[] = [];
      page.on('response', (response) => {
        if (response.url().endsWith('.js')) bodies.push(response.body());
      });
      await page.goto(address);
      await untilConnected(page);
      const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
      return sizes.reduce((sum, size) => sum + size, 0) / 1024;
    });
  },
};

/** By the page's own clock, from the start of its navigation. */
const noteCells = `
  new MutationObserver((_, watch) => {
    if (!document.querySelector('.cell')) return;
    window.cellsAt = performance.now();
    watch.disconnect();
  }).observe(document, { childList: true, subtree: true });
`;

export const webOpen2000: Line = {
  name: 'a page of 2000 cells, from its address to its cells',
  unit: 'ms',
  budget: { atMost: 1000 },
  warmUp: true,
  async ours(context) {
    const address = await large(context);
    return withPage(async (page) => {
      await page.addInitScript(noteCells);
      await page.goto(address);
      await untilCells(page);
      return Number(await page.evaluate('window.cellsAt'));
    });
  },
};

const keys = 60;

const typing =
  (of: (context: Context) => Promise<string>): Measure =>
  async (context) => {
    const address = await of(context);
    return withPage(async (page) => {
      await page.goto(address);
      await untilConnected(page);
      await page.locator('.cell').first().focus();
      await page.keyboard.press('Enter');
      await page.locator('.cm-content').waitFor();
      const worked = await workedSeconds(page);
      const before = await worked();
      await page.keyboard.type('a'.repeat(keys), { delay: 25 });
      return ((await worked()) - before) * (1000 / keys);
    });
  };

export const webTyping: Line = {
  name: 'scripts, styles and layout of one key among 2000 cells',
  unit: 'ms',
  budget: { atMost: 16 },
  ours: typing(large),
  limits: { 'in a notebook of one cell': typing(small) },
};

export const webConsole: Line = {
  name: 'longest task of the page while a cell prints 100,000 lines',
  unit: 'ms',
  budget: { atMost: 100 },
  async ours(context) {
    const address = await talkative(context);
    return withPage(async (page) => {
      await page.goto(address);
      await untilConnected(page);
      await page.locator('.cell').first().focus();
      return longestTask(
        page,
        `const cell = document.querySelector('.cell');
        const keys = { key: 'Enter', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true };
        cell.dispatchEvent(new KeyboardEvent('keydown', keys));
        while (!document.querySelector('.cell.running')) await after(5);
        while (!document.querySelector('.cell.ready')) await after(20);`,
      );
    });
  },
};

/** Runs the only cell, unless that has run before, and gives its table when that is there: another run would put a new one in its place. */
async function tableOf(page: Page, address: string): Promise<Locator> {
  await page.goto(address);
  await untilConnected(page);
  await page.locator('.cell').first().focus();
  if ((await page.locator('.cell.ready').count()) === 0) await page.keyboard.press('Control+Enter');
  const table = page.locator('.grid-scroll');
  await table.waitFor();
  await table.locator('svg').first().waitFor();
  return table;
}

const scroller = "document.querySelector('.grid-scroll')";

export const webTableJump: Line = {
  name: 'rows after a jump in a table of 1 M rows',
  unit: 'ms',
  budget: { atMost: 300 },
  warmUp: true,
  async ours(context) {
    const address = await millionRows(context);
    return withPage(async (page) => {
      const table = await tableOf(page, address);
      const began = performance.now();
      await page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight / 2`);
      await table
        .getByRole('cell', { name: /^50\d{4}$/ })
        .first()
        .waitFor();
      return performance.now() - began;
    });
  },
};

const steps = 60;
const oneStep = `new Promise((done) => {
  ${scroller}.scrollTop += 260;
  requestAnimationFrame(() => requestAnimationFrame(done));
})`;

export const webTableScroll: Line = {
  name: 'scripts, styles and layout of one step through a table of 1 M rows',
  unit: 'ms',
  budget: { atMost: 16 },
  async ours(context) {
    const address = await millionRows(context);
    return withPage(async (page) => {
      await tableOf(page, address);
      const worked = await workedSeconds(page);
      const before = await worked();
      for (let step = 1; step <= steps; step++) await page.evaluate(oneStep);
      return ((await worked()) - before) * (1000 / steps);
    });
  },
};

const answered = async (page: Page, act: () => Promise<void>, first: string): Promise<number> => {
  const began = performance.now();
  await act();
  await page.locator('.grid-scroll').getByRole('cell', { name: first, exact: true }).first().waitFor();
  return performance.now() - began;
};

/** No search is asked twice: each sample looks for digits that nobody has looked for. */
let digits = 71_203;

export const webTableSearch: Line = {
  name: 'digits searched in all columns of a table of 1 M rows',
  unit: 'ms',
  budget: { atMost: 1000 },
  warmUp: true,
  async ours(context) {
    const address = await millionRows(context);
    return withPage(async (page) => {
      await tableOf(page, address);
      const wanted = String(digits++);
      const field = page.getByRole('searchbox', { name: 'Search the table' });
      return answered(page, () => field.fill(wanted), wanted);
    });
  },
};

const sorts = 3;
const texts = Array.from({ length: sorts }, (_, column) => `"word${column}": n.cast("string")`).join(', ');
const millionTexts = openedPage([`import pyarrow as pa\nn = pa.array(range(1_000_000))\npa.table({${texts}})`]);
let sorted = 0;

/** Each sample sorts by a column that nobody has sorted by: an order is remembered. */
export const webTableSort: Line = {
  name: 'a table of 1 M rows sorted by texts',
  unit: 'ms',
  budget: { atMost: 1000 },
  rounds: sorts,
  async ours(context) {
    const address = await millionTexts(context);
    return withPage(async (page) => {
      await tableOf(page, address);
      return answered(page, () => page.getByTitle(`Sort by word${sorted++}`).click(), '100000');
    });
  },
};
