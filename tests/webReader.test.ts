// Somebody who may only read, in a real browser: what the server would refuse them is not offered, by menus, buttons, keys or settings.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, picture } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { newHome, startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

/** What the server refused over requests and over the socket, in the order in which it did. */
function refusalsOf(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (answer) => {
    // Sessions are asked for by their ids, which a shared server tells nobody; the path leads on.
    if (answer.status() === 403 && !/\/v1\/notebooks\/(sessions\/|sessions$|open$)/.test(answer.url()))
      refused.push(`${answer.request().method()} ${new URL(answer.url()).pathname}`);
  });
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const { type, payload: told } = JSON.parse(String(payload));
      if (type === 'error') refused.push(String(told.error));
    }),
  );
  return refused;
}

describe('whoever may only read', () => {
  it('is offered nothing that the server refuses, and hears why where a key is pressed', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const home = newHome();
    const storing = { SVC_SERVICE_WRITES_ENABLED: 'true', SVC_ARTIFACT_DIR: join(home, 'artifacts') };
    await using server = await startServer({ home, env: { ...proxyEnvironment, ...storing } });
    const to = () => server.address;
    const scopes = 'notebook:read notebook:write notebook:execute';
    await using forAnn = await vouchingFor({ principal: 'ann', scopes }, to);
    await using forEve = await vouchingFor({ principal: 'eve', scopes: 'notebook:read' }, to);
    const asAnn = createRest(forAnn.address);
    const made = await asAnn.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Ours' } });
    const { session_id: session, path } = Object(made.json);
    const add = async (language: string, source: string) =>
      Object((await asAnn.post(`/v1/notebooks/${session}/cells`, { json: { language, source } })).json).id;
    await add('python', '# @name first\ntotal = 1');
    const second = await add('python', '# @name second\nimport nothing_of_this_name');
    await until(async () => {
      const { environment } = Object((await asAnn.get(`/v1/notebooks/${session}/environment`)).json);
      return environment.sync_state !== 'pending';
    }, 'the environment is there');
    const ran = await asAnn.post(`/v1/notebooks/${session}/cells/${second}/execute`);
    assert.equal(Object(ran.json).status, 'error', ran.text);

    const eve = await browser.newPage({ viewport: { width: 1200, height: 860 } });
    const refused = refusalsOf(eve);
    await eve.goto(forEve.address);
    await eve.getByText('Ours', { exact: true }).waitFor();
    const pages = eve.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    assert.deepEqual(await pages.allInnerTexts(), ['Notebooks', 'Registry', 'Health']);
    await eve.getByText('Ours', { exact: true }).click();
    await eve.getByText('read only', { exact: true }).waitFor();
    await eve.getByText('connected', { exact: true }).waitFor();
    const failed = eve.getByRole('listitem', { name: /^second/ });
    await failed.getByRole('region', { name: 'Error' }).waitFor();
    for (const name of [/^Install/, /^Inspect/, /^Run/, 'More for this cell'])
      assert.equal(await eve.getByRole('button', { name }).count(), 0, `${name} is not offered`);
    await eve.getByRole('button', { name: 'Notebook', exact: true }).click();
    const items = await eve.getByRole('menuitem').allInnerTexts();
    assert.deepEqual(
      items.filter((item) => /^(Run|Let cheap|Rename|Delete)/.test(item)),
      [],
    );
    await eve.getByRole('menuitem', { name: 'Share …' }).click();
    const share = eve.getByRole('dialog', { name: 'Share' });
    await share.getByText('You may not publish results or withdraw them here.').waitFor();
    assert.equal(await share.getByRole('button', { name: 'See what would be public' }).count(), 0);
    await eve.keyboard.press('Escape');

    await eve.keyboard.press('Control+k');
    const offered = await eve.getByRole('option').allInnerTexts();
    assert.deepEqual(
      offered.filter((text) =>
        /^(Run|Add|Delete|Undo|Redo|Cut|Paste|Move|Merge|Make|Rename|Inspect|Format)/.test(text),
      ),
      [],
    );
    assert.ok(offered.some((text) => text.startsWith('Copy')));
    await eve.keyboard.press('Escape');
    await eve.keyboard.press('?');
    const keys = eve.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Next cell').waitFor();
    assert.equal(await keys.getByText('Run, select next').count(), 0);
    await eve.keyboard.press('Escape');

    await failed.click({ position: { x: 4, y: 4 } });
    await eve.keyboard.press('Shift+Enter');
    await eve.getByText('Not done: you may not run cells and use widgets here.').waitFor();
    await eve.keyboard.press('a');
    await eve.getByText('Not done: you may not change notebooks here.').waitFor();
    await eve.keyboard.press('Shift+e');
    assert.equal(await eve.getByRole('region', { name: 'Inspect inputs' }).count(), 0);
    await eve.keyboard.press('t');
    const tests = eve.getByRole('region', { name: 'Tests', exact: true });
    await tests.getByText('You may not change notebooks here.').waitFor();
    assert.equal(await tests.getByRole('button', { name: 'Run tests' }).isDisabled(), true);
    await eve.getByRole('button', { name: 'Time', exact: true }).click();
    await eve.getByText('A viewer is not told where the time of a notebook went.').waitFor();
    await picture(eve, 'reader');
    await assertAccessible(eve, 'a notebook for a reader');
    assert.deepEqual(refused, [], 'nothing was refused');

    // The app of a notebook that nobody has open.
    await asAnn.post(`/v1/notebooks/${session}/close`);
    await eve.goto('about:blank');
    await eve.goto(`${forEve.address}/#/app/${session}?${new URLSearchParams({ path })}`);
    await eve
      .getByText('A part of this page could not be computed.')
      .or(eve.getByText('second could not be'))
      .waitFor();
    await eve.getByRole('link', { name: 'See the code' }).waitFor();
    await eve.close();
  });
});
