// Two colleagues, each in a browser of their own, in one notebook of a shared server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { picture } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { newHome, startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { vouchingFor } from './kit/vouching.ts';

const scopes = 'notebook:read notebook:write notebook:execute';
const cell = (page: Page) => page.getByRole('list', { name: 'Cells' }).getByRole('listitem').first();

async function type(page: Page, text: string): Promise<void> {
  await cell(page).click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Enter');
  await page.locator('.cm-content').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(text);
}

describe('two colleagues in their browsers', () => {
  it('see each other, each other’s edits and locks, and both come back after the server was killed', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    const env = { ...proxyEnvironment, SVC_NOTEBOOK_CELL_LOCK_SECONDS: '600' };
    let server = await startServer({ home, env });
    t.after(async () => {
      await server.stop('SIGKILL');
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
    const to = () => server.address;
    await using forAnn = await vouchingFor({ principal: 'ann', scopes }, to);
    await using forBob = await vouchingFor({ principal: 'bob', scopes }, to);
    const [asAnn, asBob] = [createRest(forAnn.address), createRest(forBob.address)];
    const created = await asAnn.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Together' } });
    const { session_id: annsSession, path: place } = Object(created.json);
    const { id } = Object((await asAnn.post(`/v1/notebooks/${annsSession}/cells`, { json: {} })).json);
    await asAnn.send('PUT', `/v1/notebooks/${annsSession}/cells/${id}`, { json: { source: 'zero = 0' } });
    const opened = await asBob.post('/v1/notebooks/open', { json: { path: place } });
    assert.equal(opened.status, 200);
    const [ann, bob] = [await browser.newPage(), await browser.newPage()];
    for (const [page, { address }] of [
      [ann, forAnn],
      [bob, forBob],
    ] as const) {
      await page.goto(address);
      await page.getByText('Together', { exact: true }).first().click();
      await page.getByText('connected', { exact: true }).waitFor();
      await page.reload();
      await page.getByText('connected', { exact: true }).waitFor();
      await cell(page).getByText('zero = ').waitFor();
    }
    // A colleague whose browser has never seen the notebook follows the address that Ann sends.
    await using forEve = await vouchingFor({ principal: 'eve', scopes }, to);
    const eve = await browser.newPage();
    await eve.goto(ann.url().replace(forAnn.address, forEve.address));
    await eve.getByText('connected', { exact: true }).waitFor();
    assert.ok(!eve.url().includes(annsSession));
    await eve.close();

    await ann
      .getByLabel(/\bbob\b/)
      .first()
      .waitFor();
    await bob
      .getByLabel(/\bann\b/)
      .first()
      .waitFor();

    await type(ann, '\none = 1');
    await cell(bob).getByText('one = ').waitFor();
    await type(bob, '\nlost = 2');
    await bob.getByRole('alert').getByText('ann changed this cell moments ago. Your text is kept here.').waitFor();
    await picture(bob, 'colleague-locked');

    await server.stop('SIGKILL');
    server = await startServer({ home, env });
    for (const page of [ann, bob]) await page.getByText('connected', { exact: true }).waitFor();
    await cell(bob).getByText('lost = ').waitFor();
    // Nobody holds the cell any more: what Bob had typed follows what was answered for.
    await cell(ann).getByText('lost = ').waitFor();
    const state = await asAnn.post('/v1/notebooks/open', { json: { path: place } });
    assert.equal(Object(state.json).cells[0].source, 'zero = 0\none = 1\nlost = 2');
    await Promise.all([ann.close(), bob.close()]);
  });
});
