// Tables of pandas in a real browser: named as their owner named them, told to the last digit, arranged, copied, and the
// beginning of other cells.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openBrowser, type TestBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { lendPackages, notebookEnvironment } from './kit/notebookEnvironment.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

const cells = {
  named: `import pandas as pd
named = pd.DataFrame({"price": [1.5, float("nan"), 2.0], "n": [2**60 + 1, 5, -(2**55)]},
                     index=pd.Index(["a", "b", "c"], name="ticker"))
named.insert(1, "note", pd.Series(["", None, "x"], index=named.index, dtype=object))
named`,
  levels: `import pandas as pd
levels = pd.DataFrame([[1, 2.0, "x"], [3, 4.0, "z"]],
  index=pd.MultiIndex.from_tuples([("EU", 2020), ("US", 2021)], names=["region", "year"]),
  columns=pd.MultiIndex.from_tuples([("sales", "units"), ("sales", "price"), ("who", "name")], names=["group", "field"]))
levels`,
  odd: `import pandas as pd, numpy as np, decimal
odd = pd.DataFrame({"na": pd.array([1, None], dtype="Int64"), "at": pd.to_datetime(["2024-01-01", None]).tz_localize("Europe/Berlin"),
  "exact": [decimal.Decimal("1.10"), None], "short": np.array([0.1, np.inf], dtype="float32"), "list": [[1, 2], None],
  "kind": pd.Categorical(["lo", None])}, index=[7, 9])
odd`,
  many: `import pandas as pd
many = pd.DataFrame({"k": [i % 7 for i in range(5000)], "city": [["Rome", "Oslo", "Bern"][i % 3] for i in range(5000)],
                     "v": [i / 4 for i in range(5000)]})
many`,
  wide: `import pandas as pd, numpy as np
wide = pd.DataFrame(np.arange(900).reshape(3, 300), columns=[f"c{i}" for i in range(300)])
wide`,
  twice: `import pandas as pd
twice = pd.DataFrame([[1, 2.5, 0], [3, None, 0]], columns=["a", "a", ""])
twice`,
  polar: `import polars as pl, datetime as dt
polar = pl.DataFrame({"f": [-0.0, float("nan"), None], "u": pl.Series([2**64 - 1, None, 0], dtype=pl.UInt64),
  "at": [dt.datetime(2024, 1, 1, 12), None, None], "kind": pl.Series(["lo", None, "hi"], dtype=pl.Categorical)})
polar`,
  row: `import polars as pl
row = pl.Series("x", [1.5, None, -0.0])
row`,
  arrow: `import pyarrow as pa
arrow = pa.table({"i": [1, None, 3], "z": [-0.0, 0.0, 1.0], "every": pa.array([(14, 3, 5 * 10**9), None, (0, 0, 0)], pa.month_day_nano_interval())})
arrow`,
  single: `import pandas as pd
single = pd.DataFrame({"only": range(30)})
single`,
};

const steps = (last: string) => `import pandas as pd
steps = pd.DataFrame({"k": ["a", "b"] * 200, "v": range(400), ${last}})
steps`;

/** What two results of one cell differ in. */
const prices = (values: string, place: string) => `import pandas as pd
from PIL import Image
picture = Image.new("RGB", (40, 20), "white")
picture.putpixel(${place}, (0, 0, 0))
display(pd.DataFrame({"price": ${values}}, index=pd.Index(["a", "b", "c"], name="ticker")))
display(picture)
`;

let server: TestServer;
let notebook: TestNotebook;
let browser: TestBrowser;
let page: Page;
let problems: readonly string[] = [];
let isReady = false;

async function prepare(t: TestContext): Promise<boolean> {
  if (!isReady) t.skip('There is no browser or no environment.');
  return isReady;
}

const cellOf = (name: string): Locator => page.locator(`[role=listitem][aria-label^="${name},"]`);
const gridOf = (name: string): Locator => cellOf(name).locator('.grid');
const textsOf = async (of: Locator): Promise<string[]> =>
  (await of.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
const rowsOf = async (grid: Locator): Promise<string[][]> => {
  const rows = await grid.locator('tbody tr[data-row]').all();
  return Promise.all(rows.map((row) => textsOf(row.locator('th, td'))));
};
const labelsOf = (grid: Locator): Promise<string[]> => textsOf(grid.locator('thead tr:last-child .grid-label'));
const column = (grid: Locator, name: string): Locator =>
  grid.getByRole('button', { name: `Column ${name}`, exact: true });
async function choose(grid: Locator, name: string, item: string): Promise<void> {
  // What scrolls closes a menu: nothing scrolls any more when it is opened.
  await column(grid, name).scrollIntoViewIfNeeded();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await column(grid, name).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
/** Only cells near the window exist: the page is walked through until this one does, and stands in sight. */
const bring = (selector: string) =>
  page.evaluate(`new Promise((done) => {
    const cells = document.querySelector('.cells');
    cells.scrollTop = 0;
    const look = () => {
      const grid = document.querySelector('${selector} .grid');
      if (grid) {
        grid.scrollIntoView({ block: 'center' });
        return requestAnimationFrame(() => requestAnimationFrame(done));
      }
      const isEnd = cells.scrollTop + cells.clientHeight >= cells.scrollHeight - 1;
      cells.scrollTop = isEnd ? 0 : cells.scrollTop + cells.clientHeight / 2;
      requestAnimationFrame(look);
    };
    look();
  })`);
/** What an expression of `element` is in the page. */
const inPage = (selector: string, expression: string): Promise<unknown> =>
  page.evaluate(`((element) => ${expression})(document.querySelector('${selector}'))`);
const scrollerOf = (name: string): string => `[role=listitem][aria-label^="${name},"] .grid-scroll`;
const bringGrid = async (name: string): Promise<Locator> => {
  await bring(`[role=listitem][aria-label^="${name},"]`);
  return gridOf(name);
};
const pasted = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

before(async (t) => {
  const context = t as TestContext;
  const interpreter = await notebookEnvironment(context);
  browser = await openBrowser(context);
  if (!browser.ready || interpreter === undefined) return;
  server = await startServer();
  notebook = await createTestNotebook(server);
  lendPackages(notebook.path, interpreter);
  for (const source of Object.values(cells)) {
    const id = await notebook.add(source);
    const ran = await notebook.run(id);
    assert.equal(ran.status, 'ready', String(ran.error));
  }
  page = await browser.newPage({
    permissions: ['clipboard-read', 'clipboard-write'],
    viewport: { width: 1280, height: 900 },
  });
  ({ problems } = watchPage(page, () => server.address));
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.locator('[role=listitem]').first().waitFor();
  isReady = true;
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

describe('a data frame', () => {
  it('has its index first, called what it is called, tells nothing from empty text, and shows numbers to the last digit', async (t) => {
    if (!(await prepare(t))) return;
    const named = await bringGrid('named');
    await named.getByText('NaN', { exact: true }).waitFor();
    assert.deepEqual(await labelsOf(named), ['ticker', 'price', 'note', 'n']);
    assert.deepEqual(await rowsOf(named), [
      ['a', '1.5', '', '1152921504606846977'],
      ['b', 'NaN', 'None', '5'],
      ['c', '2.0', 'x', '-36028797018963968'],
    ]);
    assert.deepEqual(await textsOf(named.locator('tbody .grid-none')), ['NaN', 'None']);

    const levels = await bringGrid('levels');
    await levels.locator('.grid-level').waitFor();
    assert.deepEqual(await textsOf(levels.locator('.grid-level > *')), ['', 'group', 'sales', 'who']);
    assert.deepEqual(await labelsOf(levels), ['region', 'year', 'units', 'price', 'name']);
    assert.deepEqual(await rowsOf(levels), [
      ['EU', '2020', '1', '2.0', 'x'],
      ['US', '2021', '3', '4.0', 'z'],
    ]);

    const odd = await bringGrid('odd');
    await odd.getByText('NaT', { exact: true }).waitFor();
    assert.deepEqual(await labelsOf(odd), ['index', 'na', 'at', 'exact', 'short', 'list', 'kind']);
    assert.deepEqual(await rowsOf(odd), [
      ['7', '1', '2024-01-01 00:00:00+01:00', '1.10', '0.1', '[1, 2]', 'lo'],
      ['9', '<NA>', 'NaT', 'None', 'Infinity', 'None', 'NaN'],
    ]);
    assert.deepEqual(problems, []);
  });

  it('with two columns of one name, and one without a name, has them all', async (t) => {
    if (!(await prepare(t))) return;
    const twice = await bringGrid('twice');
    await twice.getByText('NaN', { exact: true }).waitFor();
    assert.deepEqual(await labelsOf(twice), ['', 'a', 'a', 'no name']);
    await twice.locator('thead button', { hasText: /^a$/ }).nth(1).click();
    await twice.locator('thead button', { hasText: /^a ↑$/ }).click();
    await twice.locator('thead button', { hasText: /^a ↓$/ }).waitFor();
    await twice.getByText('NaN', { exact: true }).waitFor();
    assert.deepEqual(await labelsOf(twice), ['', 'a', 'a ↓', 'no name']);
    assert.deepEqual(await rowsOf(twice), [
      ['0', '1', '2.5', '0'],
      ['1', '3', 'NaN', '0'],
    ]);
  });

  it('keeps the number of each row when it is sorted', async (t) => {
    if (!(await prepare(t))) return;
    const many = await bringGrid('many');
    await choose(many, 'v', 'Sort descending');
    await many.locator('tbody tr[data-row="0"] td', { hasText: /^1249\.75$/ }).waitFor();
    assert.deepEqual((await rowsOf(many))[0], ['4999', '1', 'Oslo', '1249.75']);
    await many.getByRole('button', { name: 'Reset' }).click();
    await many.locator('tbody tr[data-row="0"] td', { hasText: /^0\.0$/ }).waitFor();
  });

  it('is arranged: columns are pinned, hidden, moved and sized', async (t) => {
    if (!(await prepare(t))) return;
    const many = await bringGrid('many');
    await choose(many, 'v', 'Pin');
    assert.deepEqual(await labelsOf(many), ['', 'v', 'k', 'city']);
    await choose(many, 'v', 'Unpin');
    await choose(many, 'city', 'Move left');
    assert.deepEqual(await labelsOf(many), ['', 'city', 'k', 'v']);
    await choose(many, 'k', 'Hide');
    assert.deepEqual(await labelsOf(many), ['', 'city', 'v']);
    await many.getByRole('button', { name: '1 hidden' }).click();
    await page.getByRole('menuitem', { name: 'Show k' }).click();
    assert.deepEqual(await labelsOf(many), ['', 'city', 'k', 'v']);
    await column(many, 'v').locator('xpath=ancestor::th').dragTo(column(many, 'city').locator('xpath=ancestor::th'));
    assert.deepEqual(await labelsOf(many), ['', 'v', 'city', 'k']);

    const heading = column(many, 'city').locator('xpath=ancestor::th');
    const width = async () => Math.round((await heading.boundingBox())?.width ?? 0);
    const first = await width();
    await choose(many, 'city', 'Wider');
    assert.equal(await width(), first + 40);
    const edge = await heading.locator('.grid-edge').boundingBox();
    if (!edge) throw new Error('There is no edge.');
    await page.mouse.move(edge.x + 3, edge.y + 10);
    await page.mouse.down();
    await page.mouse.move(edge.x + 63, edge.y + 10);
    await page.mouse.up();
    assert.equal(await width(), first + 100);
    await picture(page, 'grid-arranged');
  });

  it('is copied as sheets paste it, cell by cell and column by column', async (t) => {
    if (!(await prepare(t))) return;
    const many = await bringGrid('many');
    const cell = (row: number, place: number) => many.locator(`tr[data-row="${row}"] > [data-place="${place}"]`);
    await cell(1, 1).click();
    await cell(3, 3).click({ modifiers: ['Shift'] });
    await many.getByText('9 cells · sum 7.5 · mean 1.25').waitFor();
    await many.getByRole('region', { name: 'Table' }).focus();
    await page.keyboard.press('Control+c');
    await many.getByText('Copied 9 cells.').waitFor();
    assert.equal(await pasted(), '0.25\tOslo\t1\n0.5\tBern\t2\n0.75\tRome\t3');
    await choose(many, 'city', 'Copy column');
    await many.getByText('Copied 5,000 cells.').waitFor();
    const lines = (await pasted()).split('\n');
    assert.deepEqual([lines.length, lines.slice(0, 3)], [5001, ['city', 'Rome', 'Oslo']]);
  });

  it('offers its columns to whoever types, and not its index', async (t) => {
    if (!(await prepare(t))) return;
    const below = await notebook.add('');
    const source = 'named["';
    const { json } = await notebook.request('POST', `/cells/${below}/complete`, { source, offset: source.length });
    await notebook.request('DELETE', `/cells/${below}`);
    assert.deepEqual(
      Object(json).items.map(({ label }: { label: string }) => label),
      ['price', 'note', 'n'],
    );
  });

  it('tells the values of a column with their counts, and keeps the rows of one', async (t) => {
    if (!(await prepare(t))) return;
    const many = await bringGrid('many');
    await choose(many, 'city', 'Values and filter');
    const panel = many.getByRole('region', { name: 'Values and filter' });
    await panel.locator('.grid-values li').first().waitFor();
    assert.deepEqual(await textsOf(panel.locator('.grid-values li')), ['Rome 1,667', 'Oslo 1,667', 'Bern 1,666']);
    await panel.getByRole('combobox', { name: 'Column' }).selectOption('v');
    await panel.getByText('5,000 distinct').waitFor();
    assert.equal(
      await panel.locator('.grid-stats').innerText(),
      '5,000 rows · 0 missing · 5,000 distinct · min 0 · 25 % 312.438 · median 624.875 · 75 % 937.313 · max 1249.75 · mean 624.875 · standard deviation 360.88',
    );
    await panel.getByRole('combobox', { name: 'Column' }).selectOption('city');
    await panel.getByRole('button', { name: /^Oslo/ }).click();
    await many.getByText('1,667 of 5,000 rows × 3').waitFor();
    await many.getByRole('button', { name: 'Remove the filter city = Oslo' }).waitFor();
    await picture(page, 'grid-values');
    await assertAccessible(page, 'a grid with its values');
    await panel.getByRole('button', { name: 'Close values and filter' }).click();
  });

  it('of polars and of Arrow is shown to the last digit too, copied, and becomes other cells', async (t) => {
    if (!(await prepare(t))) return;
    const polar = await bringGrid('polar');
    await polar.getByText('NaN').waitFor();
    assert.deepEqual(await rowsOf(polar), [
      ['-0.0', '18446744073709551615', '2024-01-01 12:00:00', 'lo'],
      ['NaN', 'null', 'null', 'null'],
      ['null', '0', 'null', 'hi'],
    ]);
    await choose(polar, 'f', 'Copy column');
    await polar.getByText('Copied 3 cells.').waitFor();
    assert.equal(await pasted(), 'f\n-0.0\nNaN\n');
    const arrow = await bringGrid('arrow');
    await arrow.getByText('1 year 2 months').waitFor();
    assert.deepEqual(await rowsOf(arrow), [
      ['1', '-0.0', '1 year 2 months 3 days 00:00:05'],
      ['null', '0.0', 'null'],
      ['3', '1.0', '00:00:00'],
    ]);
    const row = await bringGrid('row');
    await row.getByRole('button', { name: 'Chart this' }).click();
    await cellOf('row_chart').locator('.chart svg, .chart canvas').first().waitFor();
    await bringGrid('row');
    await row.getByRole('button', { name: 'Open as SQL cell' }).click();
    await cellOf('row_rows').getByText('3 rows × 1').waitFor();
  });

  it('draws of 300 columns those in sight', async (t) => {
    if (!(await prepare(t))) return;
    const wide = await bringGrid('wide');
    await wide.locator('thead', { hasText: 'c0' }).waitFor();
    assert.ok((await wide.locator('thead th').count()) < 60);
    await inPage(scrollerOf('wide'), 'element.scrollTo({ left: element.scrollWidth })');
    await wide.locator('tbody tr[data-row="2"] td', { hasText: /^899$/ }).waitFor();
    assert.deepEqual((await labelsOf(wide)).slice(-2), ['c298', 'c299']);
    const [last, edge] = await Promise.all([column(wide, 'c299').boundingBox(), wide.boundingBox()]);
    assert.ok(last && edge && last.x + last.width <= edge.x + edge.width, 'the last column is in sight');
    assert.equal(await wide.locator('tbody tr[data-row="1"] th').innerText(), '1');
  });

  it('with one column is as wide as it needs, and hands the wheel on at its end', async (t) => {
    if (!(await prepare(t))) return;
    const single = await bringGrid('single');
    const table = single.locator('table');
    assert.ok(((await table.boundingBox())?.width ?? 0) < 260);

    const many = await bringGrid('many');
    const scroller = many.locator('.grid-scroll');
    const pageTop = async () => Number(await inPage('.cells', 'element.scrollTop'));
    await inPage(scrollerOf('many'), 'element.scrollTo({ top: element.scrollHeight })');
    await scroller.hover();
    const before = await pageTop();
    await page.mouse.wheel(0, 120);
    await page.evaluate(`new Promise((done) => {
      const cells = document.querySelector('.cells');
      if (cells.scrollTop > ${before}) done();
      cells.addEventListener('scroll', done, { once: true });
    })`);
    assert.ok((await pageTop()) > before);
    await inPage(scrollerOf('many'), 'element.scrollTo({ top: 0 })');
  });

  it('becomes a query of what is seen, and a chart of what was chosen', async (t) => {
    if (!(await prepare(t))) return;
    const many = await bringGrid('many');
    await choose(many, 'v', 'Sort descending');
    await many.getByRole('button', { name: 'Open as SQL cell' }).click();
    const query = cellOf('many_rows');
    await query.getByText('1,667 rows × 3').waitFor();
    assert.equal(
      (await query.locator('.code, .cm-content').first().innerText()).trim(),
      [
        '# @sql connection=duckdb',
        '# @name many_rows',
        'SELECT *',
        'FROM :many',
        `WHERE "city" = 'Oslo'`,
        'ORDER BY "v" DESC NULLS LAST',
      ].join('\n'),
    );
    assert.deepEqual((await rowsOf(query.locator('.grid')))[0]?.slice(0, 3), ['1', 'Oslo', '1249.75']);

    await many.locator('tr[data-row="0"] > [data-place="1"]').click();
    await many.locator('tr[data-row="0"] > [data-place="2"]').click({ modifiers: ['Shift'] });
    await many.getByRole('button', { name: 'Chart this' }).click();
    // Of the rows that are seen: the query above is what it reads.
    const chart = cellOf('many_rows_chart');
    await chart.locator('.chart svg, .chart canvas').first().waitFor();
    assert.equal(await cellOf('many_rows').count(), 1);
    await picture(page, 'grid-chart');
    assert.deepEqual(problems, []);
  });

  it('can be read by everybody while it is stale, in light and in dark', async (t) => {
    if (!(await prepare(t))) return;
    const { cells: known } = await notebook.state();
    const named = known.find(({ source }) => source.startsWith(cells.named)) ?? known[0];
    if (named) await notebook.edit(named.id, `${named.source.trimEnd()}.copy()\n`);
    await inPage('.cells', 'element.scrollTo({ top: 0 })');
    await page.locator('[role=listitem][aria-label*="stale"] .outputs.old .grid').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      await picture(page, `grid-stale-${colorScheme}`);
      await assertAccessible(page, `a stale grid, ${colorScheme}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('is seen as it was left when its cell runs again, as far as its columns are still there', async (t) => {
    if (!(await prepare(t))) return;
    const id = await notebook.add(steps('"w": range(400)'));
    assert.equal((await notebook.run(id)).status, 'ready');
    const grid = await bringGrid('steps');
    await choose(grid, 'v', 'Sort descending');
    await choose(grid, 'k', 'Hide');
    await choose(grid, 'w', 'Pin');
    await choose(grid, 'v', 'Wider');
    const row = grid.getByRole('textbox', { name: 'Go to row' });
    await row.fill('200');
    await row.press('Enter');
    const firstRow = async () => [await row.inputValue(), (await rowsOf(grid)).find(([, , v]) => v === '200')];
    const value = grid.locator('td', { hasText: /^200$/ }).first();
    await value.waitFor();
    assert.deepEqual(await labelsOf(grid), ['', 'w', 'v ↓']);
    assert.deepEqual(await firstRow(), ['200', ['200', '200', '200']]);
    const widths = async () =>
      (await grid.locator('thead th').all()).map(async (head) => (await head.boundingBox())?.width);
    const wide = await Promise.all(await widths());

    // The same again, then with another column in the place of one that was pinned.
    await inPage(scrollerOf('steps'), 'element.classList.add("old-table")');
    assert.equal((await notebook.run(id, 'force')).status, 'ready');
    await grid.locator('.old-table').waitFor({ state: 'detached' });
    await value.waitFor();
    assert.deepEqual(
      [await labelsOf(grid), await firstRow()],
      [
        ['', 'w', 'v ↓'],
        ['200', ['200', '200', '200']],
      ],
    );
    assert.deepEqual(await Promise.all(await widths()), wide);
    await notebook.edit(id, steps('"x": [7] * 400'));
    assert.equal((await notebook.run(id)).status, 'ready');
    await grid.getByRole('button', { name: 'Column x', exact: true }).waitFor();
    await value.waitFor();
    assert.deepEqual(await labelsOf(grid), ['', 'v ↓', 'x']);
    assert.equal(await row.inputValue(), '200');
    await grid.getByRole('button', { name: '1 hidden' }).waitFor();
  });

  it('is whole again when what was searched is reset', async (t) => {
    if (!(await prepare(t))) return;
    const grid = await bringGrid('steps');
    const search = grid.getByRole('searchbox', { name: 'Search the table' });
    await search.fill('399');
    await grid.getByText('1 of 400 rows × 3').waitFor();
    await grid.getByRole('button', { name: 'Reset' }).click();
    await grid.getByText('400 rows × 3').waitFor();
    assert.equal(await search.inputValue(), '');
  });

  it('is set beside an earlier result, table by table and picture by picture, with what differs marked', async (t) => {
    if (!(await prepare(t))) return;
    const id = await notebook.add(prices('[1.5, 2.0, 3.0]', '(1, 1)'));
    assert.equal((await notebook.run(id)).status, 'ready');
    await notebook.edit(id, prices('[1.5, 2.5, 3.0]', '(2, 1)'));
    assert.equal((await notebook.run(id)).status, 'ready');
    const cell = page.locator(`[data-cell="${id}"]`);
    await bring(`[data-cell="${id}"]`);
    await cell.click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Shift+H');
    const tool = cell.getByRole('region', { name: 'Earlier results' });
    await tool.getByRole('button', { name: 'Compare with now' }).click();
    await tool.getByText('1 changed, 0 added, 0 removed, 2 the same. Rows are matched by ticker.').waitFor();
    assert.deepEqual(await textsOf(tool.locator('.compare-side tbody td')), ['b', '2.0', 'b', '2.5']);
    assert.deepEqual(await textsOf(tool.locator('del, ins')), ['2.0', '2.5']);
    await tool.getByText('0.25 % of the picture differs').waitFor();
    await picture(page, 'compare');
    await assertAccessible(page, 'a comparison');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' });
    // A picture whose code chose no colours is as dark as the page, and so is what shows where they differ.
    const filtered = await page.evaluate(
      `[...document.querySelectorAll('.compare-pictures .picture')].map((one) => getComputedStyle(one).filter !== 'none')`,
    );
    assert.deepEqual(filtered, [false, false, true]);
    await picture(page, 'compare-dark');
    await assertAccessible(page, 'a comparison, dark');
    await page.emulateMedia({ colorScheme: 'light' });
    assert.deepEqual(problems, []);
  });
});
