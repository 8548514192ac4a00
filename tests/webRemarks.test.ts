// Remarks on what is being written, and formatting, in a real browser: before anything ran.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('marks names that nobody knows or uses while they are typed, and formats the cell by a key', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Remarks');
  await notebook.add('# @name given\nimport json, math\nprices = [3, 1]');
  const id = await notebook.add('# @name reader\nmath.pi');
  const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}`) });
  // What another cell reads is used.
  await cell('given').locator('.code').first().click();
  await cell('given').getByText('line 2: json imported but unused').waitFor();
  assert.deepEqual(await cell('given').locator('.remarked').allTextContents(), ['json']);

  // A finger takes its time. The remarks above go with their editor, and what is pressed must not move away meanwhile.
  await cell('reader').locator('.code').first().click({ delay: 200 });
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nsum( pirces )+sum(prices)');
  await cell('reader').getByText('line 3: Undefined name pirces').waitFor();
  assert.deepEqual(await cell('reader').locator('.remarked').allTextContents(), ['pirces']);
  await picture(page, 'remarks-light');
  await assertAccessible(page, 'remarks');
  await page.keyboard.press('Shift+Alt+f');
  await cell('reader').getByText('sum(pirces) + sum(prices)').waitFor();
  const source = async (): Promise<string | undefined> =>
    (await notebook.state()).cells.find((one) => one.id === id)?.source;
  await until(async () => (await source()) === '# @name reader\nmath.pi\nsum(pirces) + sum(prices)', 'it is stored');
  await page.keyboard.press('Escape');
  await page.keyboard.press('z');
  await cell('reader').getByText('sum( pirces )+sum(prices)').waitFor();

  // What a cell above defines is told as soon as it is written a second time, and no longer than it stands there.
  await cell('reader').locator('.code').first().click({ delay: 200 });
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\nprices = []');
  const redefined = cell('reader').getByText('`prices` is also defined in given; later cells use this one');
  await redefined.waitFor();
  for (const _ of 'prices = []') await page.keyboard.press('Backspace');
  await redefined.waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});
