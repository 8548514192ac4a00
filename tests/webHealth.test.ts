// The page for operators in a real browser: how the server is, and what happens when it goes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

it('the health page says whether the server takes work, how its parts are, and that it is gone', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/`);
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByText(/^Ready for work\./).waitFor();
  const { checks } = Object((await server.rest.get('/health/dependencies')).json);
  const rows = await page.getByRole('row').allInnerTexts();
  assert.deepEqual(
    rows.slice(1).map((row) => row.split('\t').slice(0, 2)),
    checks.map(({ name, status }: { name: string; status: string }) => [name.replaceAll('_', ' '), status]),
  );
  await picture(page, 'health-light');
  await assertAccessible(page, 'health');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 380, height: 740 });
  await picture(page, 'health-dark-narrow');
  await assertAccessible(page, 'health, dark and narrow');
  await assertFits(page, 'health');
  assert.deepEqual(problems, []);
  await server[Symbol.asyncDispose]();
  await page.getByText('The server does not answer.').waitFor();
});
