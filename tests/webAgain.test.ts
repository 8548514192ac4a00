// What is lost without a word: a run whose server was killed, and a key that goes to a button instead of the cell in sight.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture } from './kit/pages.ts';
import { newHome, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('a run whose server was killed is said to have broken off, and runs again as it was asked to', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  const home = newHome();
  t.after(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startServer({ home });
  const { port } = new URL(first.address);
  const notebook = await createTestNotebook(first, 'Broken off');
  const gate = path.join(home, 'gate');
  fs.writeFileSync(gate, '');
  const source = ['# @name long', 'import os, time', `while not os.path.exists(${JSON.stringify(gate)}):`];
  const long = await notebook.add([...source, '    time.sleep(0.02)', 'print("done")'].join('\n'));
  await notebook.run(long);
  await notebook.add('# @name next\nprint("next")');
  fs.rmSync(gate);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${first.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name},`) });
  await cell('long').click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Control+Shift+Enter');
  await cell('long').getByRole('button', { name: 'Stop' }).waitFor({ state: 'attached' });
  await cell('next').click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Control+Enter');
  await cell('next').getByText('waits').first().waitFor();
  await first.stop('SIGKILL');
  await page.getByText('not connected, trying again').waitFor();
  await using second = await startServer({ home, env: { SVC_PORT: port } });
  await page.getByText('connected', { exact: true }).waitFor();
  const said = page.getByText('The server was started again before long and 1 other cell had run to the end.');
  await said.waitFor();
  await page.setViewportSize({ width: 390, height: 740 });
  await picture(page, 'broken-off-narrow');
  await assertAccessible(page, 'a run that broke off');
  await assertFits(page, 'a run that broke off');
  await page.getByRole('button', { name: 'Run again', exact: true }).click();
  await cell('long').getByRole('button', { name: 'Stop' }).waitFor({ state: 'attached' });
  assert.equal(await said.count(), 0);
  fs.writeFileSync(gate, '');
  await cell('next').getByText('next', { exact: true }).waitFor();
  assert.match(second.output(), /serves on/);
});

it('who goes to another cell by a key has left the button that was pressed before: Enter opens the cell', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Focus');
  for (const name of ['one', 'two', 'three']) await notebook.add(`# @name ${name}\n${name} = 1`);
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name},`) });
  const theme = page.getByRole('button', { name: /^Theme/ });
  const isWritten = (name: string) => cell(name).locator('.cm-content').waitFor();

  await theme.click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await isWritten('two');
  await page.keyboard.press('Escape');

  await theme.click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('three');
  await page.keyboard.press('Enter');
  await until(async () => (await cell('three').getAttribute('aria-current')) === 'true', 'it is chosen');
  await page.keyboard.press('Enter');
  await isWritten('three');
  await page.keyboard.press('Escape');

  // A key that goes nowhere leaves the button where it is.
  await theme.click();
  const before = await theme.getAttribute('aria-label');
  await page.keyboard.press('Enter');
  await until(async () => (await theme.getAttribute('aria-label')) !== before, 'the button was pressed');
});
