// A line that is cut in the middle: neither end hears of it, as when a laptop sleeps or a router forgets.
import assert from 'node:assert/strict';
import net from 'node:net';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { picture } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

/** Passes bytes on until it is cut; from then on they vanish, and nobody is told. */
async function cutLine(to: string) {
  const { port, hostname } = new URL(to);
  const open = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((near) => {
    if (isCut) return void open.add(near.on('error', () => {}).resume());
    const far = net.connect(Number(port), hostname);
    let wasCut = false;
    for (const [from, on] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (piece) => {
        // What was under way when it was cut does not come later either.
        wasCut ||= isCut;
        if (!wasCut) on.write(piece);
      });
      from.on('end', () => wasCut || isCut || on.end());
      from.on('error', () => {});
      from.on('close', () => wasCut || isCut || on.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  assert.ok(place !== null && typeof place === 'object');
  return {
    address: `http://127.0.0.1:${place.port}`,
    cut(now: boolean) {
      isCut = now;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const scopes = 'notebook:read notebook:write notebook:execute';

it('a line that is cut is noticed at both ends, and what was typed arrives when it holds again', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: proxyEnvironment });
  await using forAnn = await vouchingFor({ principal: 'ann', scopes }, () => server.address);
  await using forBob = await vouchingFor({ principal: 'bob', scopes }, () => server.address);
  await using line = await cutLine(forAnn.address);
  const rest = createRest(forBob.address);
  const made = await rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Cut' } });
  const at = `/v1/notebooks/${Object(made.json).session_id}/cells`;
  await rest.post(at, { json: { source: 'x = 1' } });
  const [ann, bob] = [await browser.newPage(), await browser.newPage()];
  for (const [page, address] of [
    [ann, line.address],
    [bob, forBob.address],
  ] as const) {
    await page.goto(address);
    await page.getByText('Cut', { exact: true }).first().click();
    await page.getByText('connected', { exact: true }).waitFor();
  }
  const there = bob.locator('.others').getByLabel(/\bann\b/);
  await there.waitFor();
  const cell = ann.getByRole('list', { name: 'Cells' }).getByRole('listitem').first();
  await cell.click({ position: { x: 4, y: 4 } });
  await ann.keyboard.press('Enter');
  await cell.locator('.cm-content').waitFor();
  await ann.keyboard.press('Control+End');
  line.cut(true);
  await ann.keyboard.type('\ny = 2');
  await ann.getByText('Not connected. Go on writing').waitFor();
  await picture(ann, 'cut');
  await there.waitFor({ state: 'detached' });
  const source = async (): Promise<string> => Object((await rest.get(at)).json).cells[0].source;
  assert.equal(await source(), 'x = 1');
  line.cut(false);
  await ann.getByText('connected', { exact: true }).waitFor();
  await until(async () => (await source()) === 'x = 1\ny = 2', 'it has arrived');
  await there.waitFor();
});
