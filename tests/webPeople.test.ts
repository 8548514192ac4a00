// Several people at one notebook, and one whose line is slow.
import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const cell = (page: Page) => page.getByRole('list', { name: 'Cells' }).getByRole('listitem').first();

async function openAt(page: Page, address: string, sessionId: string): Promise<void> {
  await page.goto(`${address}/#/notebook/${sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await cell(page).waitFor();
}

async function typeAtEnd(page: Page, text: string): Promise<void> {
  await cell(page).click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

it('a cell above that somebody else runs again leaves in place what one writes in and presses', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Above');
  const source = [
    '# @name above',
    'import time',
    'time.sleep(1)',
    'from IPython.display import HTML',
    `HTML('<p style="height: 240px">tall</p>')`,
  ].join('\n');
  const above = await notebook.add(source);
  await notebook.run(above);
  const below = await notebook.add('# @name below\nx = 1');
  const page = await browser.newPage();
  await openAt(page, server.address, notebook.sessionId);
  const named = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name},`) });
  await named('above').frameLocator('iframe').getByText('tall').waitFor();
  const heightOf = async (): Promise<number> => (await named('above').boundingBox())?.height ?? 0;
  await until(async () => (await heightOf()) > 300, 'its output is as tall as it is');
  const before = await heightOf();
  notebook.socket.send('cell_execute_rerun', { cell_id: above });
  await named('above').getByRole('button', { name: 'Stop' }).waitFor({ state: 'attached' });
  assert.equal(await heightOf(), before);
  await named('below').getByText('x = ').click({ delay: 150 });
  await page.keyboard.press('End');
  await page.keyboard.type('23');
  await named('above').getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  await until(async () => (await notebook.cell(below)).source === '# @name below\nx = 123', 'it is written');
  assert.equal(await heightOf(), before);
});

describe('a cell that somebody else holds', () => {
  it('keeps what is typed, and is taken over on purpose', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('zero = 0');
    const [ben, carl] = [await browser.newPage({ viewport: { width: 360, height: 740 } }), await browser.newPage()];
    await openAt(ben, server.address, notebook.sessionId);
    await openAt(carl, server.address, notebook.sessionId);
    await notebook.request('PUT', `/cells/${id}`, { source: 'one = 1', author: 'ann', force: true });
    await cell(ben).getByText('one = ').waitFor();

    await typeAtEnd(ben, '\ntwo = 2');
    await ben.getByRole('alert').getByText('ann changed this cell moments ago. Your text is kept here.').waitFor();
    await picture(ben, 'notebook-locked');
    await assertAccessible(ben, 'a cell that somebody holds');
    assert.equal((await notebook.cell(id)).source, 'one = 1');
    await ben.getByRole('button', { name: 'Take over' }).click();
    await cell(carl).getByText('two = ').waitFor();
    await ben.getByRole('button', { name: 'Take over' }).waitFor({ state: 'detached' });
    assert.equal((await notebook.cell(id)).source, 'one = 1\ntwo = 2');
    await ben.close();
    await carl.close();
  });
});

/** Passes bytes on, each piece a while later, as a far line does. */
async function slowLine(to: string, delayMs: number): Promise<{ address: string } & AsyncDisposable> {
  const { port, hostname } = new URL(to);
  const open = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    for (const [from, on] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (piece) => setTimeout(() => on.writable && on.write(piece), delayMs));
      from.on('end', () => setTimeout(() => on.end(), delayMs));
      from.on('error', () => on.destroy());
      from.on('close', () => open.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  assert.ok(place !== null && typeof place === 'object');
  return {
    address: `http://127.0.0.1:${place.port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a slow line', () => {
  it('loses no key, and runs what was typed', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server);
    const id = await notebook.add('first = 1');
    await using line = await slowLine(server.address, 300);
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => line.address);
    await openAt(page, line.address, notebook.sessionId);
    await typeAtEnd(page, '\nsecond = 2\nfirst + second');
    await page.keyboard.press('Shift+Enter');
    // The cell to come is still on its way.
    await page.keyboard.type('6 * 7');
    await page.keyboard.press('Control+Enter');
    const cells = page.getByRole('list', { name: 'Cells' }).getByRole('listitem');
    await cells.nth(0).getByText('3', { exact: true }).waitFor();
    await cells.nth(1).locator('.outputs').getByText('42', { exact: true }).waitFor();
    assert.equal((await notebook.cell(id)).source, 'first = 1\nsecond = 2\nfirst + second');
    assert.equal((await notebook.state()).cells[1]?.source, '6 * 7');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
