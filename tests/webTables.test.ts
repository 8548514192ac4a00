// Tables of cells in a real browser: one with more rows than browsers let an element be tall for, and rows of a query.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { addSql, setConnections } from './kit/sql.ts';

const scroller = "document.querySelector('.grid-scroll')";
/** The page's policy allows no polling with texts of code; a promise in the page is looked at once a frame. */
const until = (page: Page, holds: string) =>
  page.evaluate(`new Promise((done) => {
    const look = () => (${holds}) ? done() : requestAnimationFrame(look);
    look();
  })`);
const inView = (page: Page, text: string) =>
  until(
    page,
    `[...document.querySelectorAll('.grid tbody td')].some((cell) => {
      const [row, table] = [cell.getBoundingClientRect(), ${scroller}.getBoundingClientRect()];
      return cell.textContent === '${text}' && row.top >= table.top && row.bottom <= table.bottom + 1;
    })`,
  );

describe('a table of ten million rows', () => {
  it('is reached to its end by the bar, by keys and by the number of a row', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('import pyarrow as pa\npa.table({"n": pa.array(range(10_000_000))})');
    assert.equal((await notebook.run(id)).status, 'ready');
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.locator('.grid-scroll td').first().waitFor();
    await inView(page, '0');

    await page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight`);
    await inView(page, '9999999');
    await picture(page, 'table-end');
    await assertAccessible(page, 'table');
    await page.evaluate(`${scroller}.scrollTop = ${scroller}.scrollHeight / 2`);
    await page
      .locator('.grid td', { hasText: /^500\d{4}$/ })
      .first()
      .waitFor();

    const table = page.getByRole('region', { name: 'Table' });
    await table.focus();
    await page.keyboard.press('Home');
    await inView(page, '0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('PageDown');
    await inView(page, '12');
    await page.keyboard.press('End');
    await inView(page, '9999999');

    const row = page.getByRole('textbox', { name: 'Go to row' });
    await row.fill('7,654,321');
    await row.press('Enter');
    await inView(page, '7654320');
    assert.equal(await row.inputValue(), '7,654,321');
    // A wheel goes on row by row, in the middle as at the top.
    await table.hover();
    await page.mouse.wheel(0, 26);
    await until(page, `document.querySelector('[aria-label="Go to row"]').value === '7,654,322'`);
    await inView(page, '7654321');
    await row.fill('nowhere');
    await row.press('Enter');
    await inView(page, '7654321');
    assert.deepEqual(problems, []);
    await page.close();
  });
});

describe('the rows of a query', () => {
  it('are sorted, searched and read to their end, also when they were kept', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    await setConnections(notebook, [{ name: 'duckdb', driver: 'duckdb', path: ':memory:' }]);
    const query = "SELECT i AS n, 'name ' || i AS name, i::DECIMAL(6, 2) AS price FROM range(100) numbers(i)";
    const id = await addSql(notebook, `# @name numbers\n# @sql connection=duckdb\n# @cache forever\n${query}`);
    const made = await notebook.run(id);
    assert.equal(made.display?.content_type, 'text/markdown');
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const rows = page.locator('.grid-foot', { hasText: '100 rows × 3' });
    await rows.waitFor();
    await page.getByText('int64', { exact: true }).waitFor();
    await page.locator('td.number', { hasText: /^7\.00$/ }).waitFor();
    await picture(page, 'query-rows');
    await assertAccessible(page, 'rows of a query');
    const sort = page.getByRole('button', { name: /^n\b/ });
    await sort.click();
    await sort.click();
    await inView(page, '99');
    await page.getByRole('searchbox', { name: 'Search the table' }).fill('name 42');
    await page.locator('.grid-foot', { hasText: '1 of 100 rows × 3' }).waitFor();

    // A result that is found again, and the view for readers, show the same.
    assert.equal((await notebook.run(id)).cache_hit, true);
    await page.reload();
    await rows.waitFor();
    await page.goto(`${server.address}/#/app/${notebook.sessionId}`);
    await page.getByRole('heading', { name: 'numbers' }).waitFor();
    await rows.waitFor();
    await picture(page, 'query-rows-app');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
