// Queries as people write them, in a real browser: what is offered while they type, data frames and files by name.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('somebody who writes queries', () => {
  it('is offered frames, files, columns and functions, and gets a second result beside the first', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Queries');
    fs.mkdirSync(path.join(notebook.path, 'work'), { recursive: true });
    fs.writeFileSync(path.join(notebook.path, 'work', 'prices.csv'), 'region,price\nnorth,3\nsouth,5\n');
    const maker = await notebook.add(
      'import pyarrow as pa\nsales = pa.table({"region": ["north", "south"], "amount": [1, 2]})\nsales',
    );
    await notebook.run(maker);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const addQuery = async (count: number): Promise<void> => {
      await page.getByRole('button', { name: 'SQL', exact: true }).last().click();
      await page
        .getByRole('listitem', { name: /sql/ })
        .nth(count - 1)
        .locator('.cm-content')
        .waitFor();
    };
    const offered = page.getByRole('listbox', { name: 'Completions' });
    const take = async (name: RegExp): Promise<void> => {
      await offered.getByRole('option', { name }).first().waitFor();
      // The editor gives a list no key within 75 ms of its opening.
      await page.evaluate('new Promise((done) => setTimeout(done, 100))');
      await page.keyboard.press('Tab');
    };

    await addQuery(1);
    await page.keyboard.type('SELECT * FROM sal');
    await take(/^sales/);
    await page.keyboard.type(" JOIN '");
    await take(/^prices\.csv/);
    await page.keyboard.press('End');
    await page.keyboard.type(' USING (reg');
    await take(/^region/);
    await page.keyboard.press('End');
    await page.keyboard.type(' ORDER BY pric');
    await offered.getByRole('option', { name: /^price/ }).waitFor();
    await picture(page, 'sql-offers');
    await assertAccessible(page, 'what is offered in a query');
    await take(/^price/);
    await page.keyboard.press('Shift+Enter');
    const first = page.getByRole('listitem', { name: /sql/ }).first();
    await first.getByText('2 rows × 3').waitFor();

    await addQuery(2);
    await page.keyboard.type('SELECT rou');
    await take(/^round/);
    await page.keyboard.type('(sum(price)) AS total FROM result');
    await page.keyboard.press('Control+Enter');
    const second = page.getByRole('listitem', { name: /sql/ }).nth(1);
    await second.getByText('1 row × 1').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await picture(page, 'sql-second-dark');
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'sql-second-narrow');
    const queries = (await notebook.state()).cells.filter(({ language }) => language === 'sql');
    assert.deepEqual(
      queries.map(({ source, defines, status }) => ({ source, defines, status })),
      [
        {
          source: "# @sql connection=duckdb\nSELECT * FROM sales JOIN 'prices.csv' USING (region) ORDER BY price\n",
          defines: ['result'],
          status: 'ready',
        },
        {
          source: '# @sql connection=duckdb\n# @name result_2\nSELECT round(sum(price)) AS total FROM result\n',
          defines: ['result_2'],
          status: 'ready',
        },
      ],
    );
    assert.deepEqual(problems, []);
  });
});
