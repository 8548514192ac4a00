// What can be opened under a cell, in a real browser: the steps of a loop, variants side by side, a prompt that remembers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const cell = (page: Page, name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}`) });

async function choose(page: Page, name: string, item: string): Promise<void> {
  await cell(page, name).getByRole('button', { name: 'More for this cell' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function open(page: Page, server: TestServer, notebook: TestNotebook): Promise<void> {
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
}

describe('tools of a cell', () => {
  it('go through the steps of a loop: what each carried, and the numbers of all', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Descent');
    await notebook.run(await notebook.add("state = {'x': 8.0, 'step': 0}"));
    const step = "state = {'x': state['x'] / 2, 'step': state['step'] + 1, 'name': 'half'}";
    const loop = await notebook.add(`# @name descend\n# @loop max_iter=4 carry=state\n${step}`);
    assert.equal((await notebook.run(loop)).status, 'ready');
    const page = await browser.newPage({ viewport: { width: 1100, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await open(page, server, notebook);
    await choose(page, 'descend', 'Iterations of its loop');
    const tool = page.getByRole('region', { name: 'Iterations', exact: true });
    await tool.getByText('4 of 4').waitFor();
    await tool.getByText('0.5').first().waitFor();
    const table = tool.getByRole('table');
    await table.getByRole('row').nth(4).waitFor();
    assert.deepEqual(
      (await table.getByRole('row').allTextContents()).map((text) => text.trim()),
      ['Iterationxstep', '141', '222', '313', '40.54'],
    );
    await picture(page, 'iterations-light');
    await assertAccessible(page, 'iterations');
    await tool.getByLabel('Which iteration').press('Home');
    await tool.getByText('1 of 4').waitFor();
    await table.getByRole('button', { name: '3', exact: true }).click();
    await tool.getByText('3 of 4').waitFor();

    await page.getByRole('button', { name: 'Time', exact: true }).click();
    const spans = page.getByRole('list', { name: 'Last run' }).getByRole('listitem');
    await spans
      .filter({ hasText: 'descend' })
      .getByText(/^\d+ ms · \d+(\.\d+)? MB memory · \d+ B stored$/)
      .waitFor();
    await picture(page, 'timeline-light');
    await assertAccessible(page, 'timeline');
    assert.deepEqual(problems, []);
  });

  it('set the variants of a group side by side, with what they gave and show', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Cleaning');
    const strict = await notebook.add('# @variant cleaning strict\nimport math\nnames = ["Ada"]\nlen(names)');
    const loose = await notebook.add('# @variant cleaning loose\nnames = ["Ada", "unknown"]\nlen(names)');
    const reader = await notebook.add('# @name reader\nnames');
    assert.equal((await notebook.request('PUT', '/variant-groups/cleaning', { mode: 'sweep' })).status, 200);
    for (const id of [strict, loose, reader]) assert.equal((await notebook.run(id)).status, 'ready');
    const page = await browser.newPage({ viewport: { width: 1100, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await open(page, server, notebook);
    await page.locator('.variants').first().waitFor();
    const shown = page
      .getByRole('listitem')
      .filter({ has: page.locator('.variants') })
      .first();
    await shown.getByRole('button', { name: 'More for this cell' }).click();
    await page.getByRole('menuitem', { name: 'Variants side by side' }).click();
    const tool = page.getByRole('region', { name: 'Variants side by side' });
    const rows = tool.getByRole('row');
    await rows.filter({ hasText: 'shows' }).waitFor();
    assert.deepEqual(await tool.getByRole('columnheader').allTextContents(), [' strict', ' loose']);
    await rows.filter({ hasText: 'names' }).getByText('unknown').waitFor();
    assert.deepEqual(await tool.getByRole('rowheader').allTextContents(), ['took', 'names', 'shows']);
    const mode = async () => Object(await notebook.state()).variant_groups[0].mode;
    const all = page.getByRole('checkbox', { name: 'run all' }).first();
    await all.click();
    await until(async () => (await mode()) === 'switch', 'the chosen one counts alone');
    await page.getByText('The chosen variant of cleaning runs').waitFor({ state: 'attached' });
    await shown.click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('Control+z');
    await until(async () => (await mode()) === 'sweep', 'all count again');
    await page.getByRole('button', { name: 'Outline', exact: true }).click();
    for (const name of ['strict', 'loose'])
      await page.getByRole('complementary', { name: 'Outline' }).getByText(`names · ${name}`).waitFor();
    await page.getByRole('button', { name: 'Close Outline' }).click();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 420, height: 800 });
    await picture(page, 'variants-dark-narrow');
    await assertAccessible(page, 'variants side by side, dark and narrow');
    assert.deepEqual(problems, []);
  });

  it('show of a long loop what stands for all, and set many variants below each other', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Sweep');
    await notebook.run(await notebook.add('n = 0'));
    const count = await notebook.add('# @name count\n# @loop max_iter=130 carry=n\nn = n + 1');
    assert.equal((await notebook.run(count)).status, 'ready');
    for (let at = 0; at < 6; at++) await notebook.add(`# @variant model m${at}\nscore = ${at} * 1.5`);
    assert.equal((await notebook.request('PUT', '/variant-groups/model', { mode: 'sweep' })).status, 200);
    assert.equal((await notebook.run(await notebook.add('# @name best\nmax(score.values())'))).status, 'ready');
    const page = await browser.newPage({ viewport: { width: 1100, height: 860 } });
    await open(page, server, notebook);
    await choose(page, 'count', 'Iterations of its loop');
    const steps = page.getByRole('region', { name: 'Iterations', exact: true });
    await steps.getByText('66 of 130, spread evenly; the slider has all.').waitFor();
    await steps.getByRole('row').last().getByText('130').first().waitFor();
    await picture(page, 'iterations-many');
    await steps.getByRole('button', { name: 'Close' }).click();

    const shown = page
      .getByRole('listitem')
      .filter({ has: page.locator('.variants') })
      .first();
    await shown.getByRole('button', { name: 'More for this cell' }).click();
    await page.getByRole('menuitem', { name: 'Variants side by side' }).click();
    const tool = page.getByRole('region', { name: 'Variants side by side' });
    await tool.getByRole('row').nth(6).getByText('7.5').waitFor();
    assert.deepEqual(await tool.getByRole('columnheader').allTextContents(), ['took', 'score']);
    await picture(page, 'variants-many');
    await assertAccessible(page, 'many variants');
  });

  it('keep tests that were written, though their cell is scrolled away, and open from a cell half out of sight', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Tested');
    for (let at = 0; at < 14; at += 1) await notebook.add(`# @name c${at}_\nv${at} = ${at}\n#\n#`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 560 } });
    const { problems } = watchPage(page, () => server.address);
    await open(page, server, notebook);
    // The press that opens the menu brings its cell into sight.
    const half = cell(page, 'c3_').getByRole('button', { name: 'More for this cell' });
    const bottom = ({ y, height }: { y: number; height: number }): number => y + height;
    const [place, list] = [await half.boundingBox(), await page.locator('.cells').boundingBox()];
    assert.ok(place && list);
    await page.mouse.move(place.x, 300);
    await page.mouse.wheel(0, bottom(place) + 10 - bottom(list));
    const wanted = bottom(list) - 10 - place.height;
    await until(async () => Math.abs(((await half.boundingBox())?.y ?? 0) - wanted) < 2, 'its cell is half in sight');
    const at = await half.boundingBox();
    assert.ok(at);
    await page.mouse.click(at.x + 5, at.y + 5, { delay: 150 });
    await page.getByRole('menuitem', { name: 'Tests' }).click({ delay: 150 });
    const tests = cell(page, 'c3_').getByLabel('Source of the tests');
    await tests.fill('def test_it(cell):\n    assert cell.v3 == 3');
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, 3000);
    await cell(page, 'c13_').locator('.code').click();
    await tests.waitFor({ state: 'detached' });
    await page.mouse.wheel(0, -3000);
    await tests.waitFor();
    assert.equal(await tests.inputValue(), 'def test_it(cell):\n    assert cell.v3 == 3');

    // A prompt that comes back into sight takes no focus from who writes elsewhere.
    await choose(page, 'c0_', 'Inspect its inputs');
    const prompt = page.getByLabel('Expression');
    await prompt.waitFor();
    await page.mouse.wheel(0, 3000);
    await cell(page, 'c13_').locator('.code').click();
    await prompt.waitFor({ state: 'detached' });
    await page.mouse.wheel(0, -3000);
    await prompt.waitFor();
    const writtenIn = await page.evaluate("document.activeElement?.closest('[role=listitem]')?.ariaLabel");
    assert.match(String(writtenIn), /^c13_/);
    assert.deepEqual(problems, []);
  });

  it('ask about inputs at a prompt that completes, and remembers what was asked', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Asked');
    await notebook.run(await notebook.add('prices = [3, 1, 2]'));
    assert.equal((await notebook.run(await notebook.add('# @name reader\nsum(prices)'))).status, 'ready');
    const page = await browser.newPage({ viewport: { width: 1100, height: 860 } });
    await open(page, server, notebook);
    await choose(page, 'reader', 'Inspect its inputs');
    const prompt = page.getByLabel('Expression');
    await prompt.fill('sorted(pric');
    await prompt.press('Tab');
    await assertValue(page, 'sorted(prices');
    await prompt.pressSequentially(')');
    await prompt.press('Enter');
    await page.locator('.tool-answers').getByText('[1, 2, 3]').waitFor();
    await prompt.fill('prices.');
    await prompt.press('Tab');
    const offers = page.getByRole('listbox', { name: 'What may stand here' });
    await offers.getByRole('option', { name: 'append' }).waitFor();
    await picture(page, 'inspect-offers');
    await assertAccessible(page, 'offers of a prompt');
    await prompt.press('Tab');
    await prompt.press('Enter');
    await assertValue(page, 'prices.clear');
    await prompt.fill('');
    await prompt.press('ArrowUp');
    await assertValue(page, 'sorted(prices)');
    await prompt.press('ArrowDown');
    await assertValue(page, '');

    // What is new is in sight, what takes its time is said, and a prompt that ended is open again.
    const ask = async (text: string): Promise<void> => {
      await prompt.fill(text);
      await prompt.press('Enter');
    };
    for (let at = 0; at < 30; at++) await ask(`"answer ${at}"`);
    await until(() => isInSight(page, "'answer 29'"), 'the last answer is in sight');
    const works = page.locator('.tool-answers').getByText('running …');
    const allAnswered = (): Promise<void> => until(async () => (await works.count()) === 0, 'everything is answered');
    await ask('print("told")');
    await page.locator('.tool-answers').getByText('told', { exact: true }).waitFor();
    await ask('__import__("time").sleep(2)');
    await works.waitFor();
    await picture(page, 'inspect-running');
    await assertAccessible(page, 'a prompt at work');
    await allAnswered();
    await ask('import os; os._exit(3)');
    await page.getByText('The prompt had ended and is open again').waitFor();
    await ask('len(prices) * 1000');
    await page.locator('.tool-answers').getByText('3000').waitFor();
    // One that was refused is not waited for when the next one is answered.
    await notebook.request('POST', '/quiesce', {});
    await ask('"refused"');
    await page.locator('.notice.error').first().waitFor();
    await notebook.request('POST', '/release', {});
    await ask('"taken again"');
    await page.getByText('The prompt had ended and is open again').nth(1).waitFor();
    await allAnswered();
  });
});

/** Whether a text of the answers can be seen where they scroll. */
async function isInSight(page: Page, text: string): Promise<boolean> {
  const [line, list] = await Promise.all([
    page.locator('.tool-answers').getByText(text).last().boundingBox({ timeout: 5000 }),
    page.locator('.tool-answers').boundingBox(),
  ]);
  return line !== null && list !== null && line.y + line.height <= list.y + list.height + 1;
}

/** Waits: an offer comes from the server. */
const assertValue = (page: Page, text: string): Promise<void> =>
  until(async () => (await page.getByLabel('Expression').inputValue()) === text, `the line is ${text}`);
