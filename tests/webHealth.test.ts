// The pages for operators in a real browser: how the server is, what happens when it goes, and its log.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { LogEntry } from '../src/protocol/index.ts';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

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
  const [pages, last] = await Promise.all([
    page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
    page.getByRole('link', { name: 'Health' }).boundingBox(),
  ]);
  assert.ok(pages && last && last.x + last.width <= pages.x + pages.width + 1, 'all pages are in sight');
  assert.deepEqual(problems, []);
  await server[Symbol.asyncDispose]();
  await page.getByText('The server does not answer.').waitFor();
});

it('the log is followed at its end, and stays where somebody reads', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: { SVC_LOG_LEVEL: 'DEBUG' } });
  const page = await browser.newPage({ viewport: { width: 1280, height: 400 } });
  const entries: LogEntry[] = [];
  const write = (count: number): void => {
    for (let more = 0; more < count; more += 1)
      entries.push({
        level: 'info',
        logger: 'test',
        message: `line ${entries.length}`,
        timestamp: 1,
        cursor: entries.length + 1,
      });
  };
  await page.route('**/v1/logs?*', (route) => {
    const since = Number(new URL(route.request().url()).searchParams.get('since') ?? 0);
    return route.fulfill({ json: { entries: entries.slice(since), cursor: entries.length } });
  });
  const line = (at: number) => page.getByText(`line ${at}`, { exact: true });
  const isInSight = async (at: number): Promise<boolean> => {
    const { y = -1 } = (await line(at).boundingBox()) ?? {};
    return y > 0 && y < 400;
  };
  write(60);
  await page.goto(`${server.address}/#/logs`);
  await until(() => isInSight(59), 'the end is in sight');
  write(10);
  await until(() => isInSight(69), 'what is new is in sight');
  await page.mouse.move(600, 200);
  await page.mouse.wheel(0, -5000);
  await until(() => isInSight(0), 'the beginning is in sight');
  write(1);
  await line(70).waitFor({ state: 'attached' });
  assert.equal(await isInSight(0), true, 'who reads is left alone');
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.equal(await isInSight(0), true, 'a pause changes nothing');
  write(20);
  await page.getByRole('button', { name: 'Follow' }).click();
  await until(() => isInSight(90), 'what came meanwhile is in sight');
});
