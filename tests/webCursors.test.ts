// Cursors of others, in three browsers: two who edit and one who only reads.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

const scopes = 'notebook:read notebook:write notebook:execute';
const cell = (page: Page) => page.getByRole('list', { name: 'Cells' }).getByRole('listitem').first();
const caret = (page: Page) => cell(page).locator('.other-caret');

/** How far right of where a text begins the caret of somebody else stands, in widths of a character, and in which line. */
const placeOf = (page: Page): Promise<[line: number, column: number]> =>
  page.evaluate(`(() => {
    const mark = document.querySelector('.other-caret')?.getBoundingClientRect();
    const lines = [...document.querySelectorAll('.code .line, .code .cm-line')];
    const middle = mark && (mark.top + mark.bottom) / 2;
    const row = lines.map((line) => line.getBoundingClientRect()).findIndex(({ top, bottom }) => top <= middle && middle < bottom);
    if (row < 0) return [-1, -1];
    const range = document.createRange();
    const texts = document.createTreeWalker(lines[row], NodeFilter.SHOW_TEXT);
    texts.nextNode();
    range.setStart(texts.currentNode, 0);
    range.setEnd(texts.currentNode, 1);
    const { left, width } = range.getBoundingClientRect();
    return [row, Math.round((mark.left - left) / width)];
  })()`);

const stands = (page: Page, ...place: [line: number, column: number]) =>
  until(async () => String(await placeOf(page)) === String(place), `the caret stands at ${place}`, { seconds: 15 });

it('cursors and selections of others are seen in a text, at rest and being edited, by all who look', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: proxyEnvironment });
  const to = () => server.address;
  await using forAnn = await vouchingFor({ principal: 'ann', scopes }, to);
  await using forBob = await vouchingFor({ principal: 'bob', scopes }, to);
  await using forEve = await vouchingFor({ principal: 'eve', scopes }, to);
  const rest = createRest(forAnn.address);
  const made = await rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Cursors' } });
  const { session_id } = Object(made.json);
  const source = 'zero = 0\nlonger = zero + 1';
  const { id } = Object((await rest.post(`/v1/notebooks/${session_id}/cells`, { json: { source } })).json);
  const text = async (): Promise<string> => {
    const { cells } = Object((await rest.get(`/v1/notebooks/${session_id}/cells`)).json);
    return cells.find((one: { id: string }) => one.id === id).source;
  };
  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 900, height: 500 } });
    await page.goto(address);
    await page.getByText('Cursors', { exact: true }).first().click();
    await page.getByText('connected', { exact: true }).waitFor();
    await cell(page).locator('.code').getByText('longer').waitFor();
    return page;
  };
  const ann = await open(forAnn.address);
  const bob = await open(forBob.address);
  const eve = await open(forEve.address);
  const { problems } = watchPage(bob, () => forBob.address);
  const edit = async (page: Page): Promise<void> => {
    await cell(page).locator('.code').click();
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('Control+Home');
  };

  // At rest, as most people see it.
  await edit(ann);
  for (let step = 0; step < 4; step++) await ann.keyboard.press('ArrowRight');
  for (const page of [bob, eve]) {
    await stands(page, 0, 4);
    assert.equal(await caret(page).innerText(), 'ann');
  }
  assert.equal(await caret(ann).count(), 0, 'nobody sees their own');
  await ann.keyboard.press('ArrowDown');
  await ann.keyboard.press('Shift+End');
  await stands(eve, 1, 17);
  await eve.locator('.other-selection').first().waitFor();
  await picture(eve, 'cursors-viewer-light');
  await assertAccessible(eve, 'cursors of others');

  // In an editor: it moves with the text, and with what is typed there.
  await edit(bob);
  await stands(bob, 1, 17);
  assert.equal(
    await cell(bob)
      .locator('.cm-content .other-selection')
      .allInnerTexts()
      .then((parts) => parts.join('')),
    'er = zero + 1',
  );
  await bob.emulateMedia({ colorScheme: 'dark' });
  await picture(bob, 'cursors-editor-dark');
  await assertAccessible(bob, 'cursors of others in an editor');
  await ann.keyboard.press('End');
  await ann.keyboard.type('23');
  await until(async () => (await text()).endsWith('123'), 'what was typed is taken', { seconds: 15 });
  for (const page of [bob, eve]) await stands(page, 1, 19);

  // Gone with the editor, and with the person.
  await ann.keyboard.press('Escape');
  for (const page of [bob, eve]) await until(async () => !(await names(page)).includes('ann'), 'ann has left the text');
  assert.deepEqual(await names(eve), ['bob']);
  await bob.close();
  await caret(eve).waitFor({ state: 'detached' });
  assert.deepEqual(problems, []);
});

const names = (page: Page): Promise<string[]> => caret(page).allInnerTexts();
