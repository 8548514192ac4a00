// Comments on cells in real browsers: two people, one notebook.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('what one says about a cell the other reads at once, and takes care of', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Discussed');
  await notebook.add('# @name first\n1 + 1');
  const enter = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 900, height: 700 } });
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    return page;
  };
  const [one, other] = [await enter(), await enter()];
  const { problems } = watchPage(one, () => server.address);
  await one.getByRole('button', { name: 'More for this cell' }).click();
  await one.getByRole('menuitem', { name: 'Comments' }).click();
  // Who opens them to write writes: keys would be commands otherwise.
  const isEntered = async () => (await one.evaluate('document.activeElement?.ariaLabel')) === 'A comment';
  await until(isEntered, 'the field has the focus');
  await one.keyboard.type('Why two?');
  await one.keyboard.press('Enter');
  await one.keyboard.type('It was three.');
  await one.getByLabel('A comment').press('Control+Enter');
  await one.locator('.comment-text').getByText('Why two?').waitFor();
  await one.getByRole('listitem', { name: /^first, python, idle/ }).waitFor();
  await picture(one, 'comments-light');
  await assertAccessible(one, 'comments');

  // Put otherwise, and undone; what was begun stays while the comments are closed.
  const said = one.getByRole('region', { name: 'Comments' });
  await said.getByRole('button', { name: 'Edit' }).click();
  await said.getByLabel('The comment').fill('Why four?');
  await said.getByRole('button', { name: 'Save' }).click();
  await said.getByText(', edited').waitFor();
  await one.locator('.comment-text').getByText('Why four?').waitFor();
  await said.getByLabel('A comment').fill('Perhaps');
  await said.getByRole('button', { name: 'Close' }).click();
  await one.keyboard.press('ControlOrMeta+z');
  await one.getByText('Undid editing a comment.').first().waitFor();
  await one.getByRole('button', { name: '1 comment', exact: true }).click();
  await one.locator('.comment-text').getByText('Why two?').waitFor();
  assert.equal(await said.getByLabel('A comment').inputValue(), 'Perhaps');

  // What is typed while a comment is on its way is the next one, and a second key sends it once.
  const answered = Promise.withResolvers<void>();
  const adding = '**/v1/notebooks/*/cells/*/comments';
  await one.route(adding, async (route) => {
    await answered.promise;
    await route.continue();
  });
  await said.getByLabel('A comment').press('Control+Enter');
  await said.getByLabel('A comment').press('Control+Enter');
  await said.getByLabel('A comment').press('End');
  await one.keyboard.type(' and more');
  answered.resolve();
  await one.locator('.comment-text').getByText('Perhaps').waitFor();
  await until(async () => (await said.getByLabel('A comment').inputValue()) === ' and more', 'the next one stays');
  assert.equal(await one.locator('.comment-text').count(), 2);
  await one.unroute(adding);
  await said.getByRole('listitem').filter({ hasText: 'Perhaps' }).getByRole('button', { name: 'Delete' }).click();
  await one.locator('.comment-text').getByText('Perhaps').waitFor({ state: 'detached' });

  await other.getByRole('button', { name: '1 comment', exact: true }).click();
  const tool = other.getByRole('region', { name: 'Comments' });
  await tool.getByText('It was three.').waitFor();
  await tool.getByRole('button', { name: 'Resolve' }).click();
  await tool.getByRole('button', { name: 'Open again' }).waitFor();
  await one.getByRole('button', { name: '1 comment', exact: true }).waitFor({ state: 'detached' });
  await other.emulateMedia({ colorScheme: 'dark' });
  await other.setViewportSize({ width: 400, height: 760 });
  await picture(other, 'comments-dark-narrow');
  await assertAccessible(other, 'comments, dark and narrow');
  await tool.getByRole('button', { name: 'Delete' }).click();
  await one.getByText('No comments yet.').waitFor();
  await other.keyboard.press('ControlOrMeta+z');
  await other.getByText('Undid deleting a comment.').first().waitFor();
  await one.locator('.comment-text').getByText('Why two?').waitFor();
  await other.keyboard.press('ControlOrMeta+Shift+z');
  await one.getByText('No comments yet.').waitFor();
  assert.deepEqual(problems, []);
});
