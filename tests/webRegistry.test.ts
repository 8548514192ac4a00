// The registry in a real browser: names with their aliases, a change that waits is approved or rejected, lineage, and the audit.
import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { newHome, startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

it('hundreds of names are searched, a lineage comes into sight, and a change is decided once', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: { SVC_REGISTRY_PROTECTED_ALIASES: 'production' } });
  const put = async (k: number, inputs: string[], name: string): Promise<string> => {
    const json = { inputs, transform: { executor: 'fit@v1', params: { k } }, data: { a: [k] }, name };
    return Object((await server.rest.send('PUT', '/v1/artifacts', { json })).json).artifact_uri;
  };
  // Each step reads both of the two before it: there are 2 ** 14 ways through 30 steps.
  let pair = [await put(0, [], 'ways/0a'), await put(1, [], 'ways/0b')];
  for (let n = 1; n < 15; n++) pair = [await put(2 * n, pair, `ways/${n}a`), await put(2 * n + 1, pair, `ways/${n}b`)];
  for (let n = 0; n < 120; n++) await put(1000 + n, [], `names/${n}`);
  const last = await put(5000, pair, 'ways/end');
  await server.rest.send('PUT', '/v1/names/ways/end/aliases/production', {
    json: { artifact_id: /artifact\/(.*)@v=1$/.exec(last)?.[1], version: 1 },
  });
  const open = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    await page.goto(`${server.address}/#/registry`);
    await page.getByRole('region', { name: 'Waiting for approval' }).waitFor();
    return page;
  };
  const [one, other] = [await open(), await open()];
  const rows = one.getByRole('region', { name: 'Names' }).getByRole('row');
  assert.equal(await rows.count(), 101);
  await one.getByRole('button', { name: 'Show 51 more' }).click();
  assert.equal(await rows.count(), 152);
  await one.getByRole('button', { name: 'Lineage of names/0' }).click();
  const first = one.getByRole('region', { name: 'Where names/0 comes from' });
  await until(async () => ((await first.boundingBox())?.y ?? 9999) < 700, 'it is in sight');
  await first.getByRole('button', { name: 'Close' }).click();
  await one.getByLabel('Search names').fill('WAYS end');
  await one.getByText('1 of 151').waitFor();
  await one.getByRole('button', { name: 'Lineage of ways/end' }).click();
  const lineage = one.getByRole('region', { name: 'Where ways/end comes from' });
  await lineage.getByText('as above').first().waitFor();
  assert.equal(await lineage.locator('li').count(), 59);
  await picture(one, 'registry-ways');
  await assertAccessible(one, 'a lineage of many ways');

  const waiting = (page: Page) => page.getByRole('region', { name: 'Waiting for approval' });
  // What one decides has not come to the other yet.
  await other.route('**/v1/events*', (route) => route.abort());
  await waiting(one).getByRole('button', { name: 'Approve' }).click();
  await waiting(one).waitFor({ state: 'detached' });
  await waiting(other).getByRole('button', { name: 'Reject' }).click();
  await other.getByText('Somebody else has decided about production of ways/end already.').waitFor();
  await waiting(other).waitFor({ state: 'detached' });
});

it('the registry page shows names and where they come from, and decides what waits', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: { SVC_REGISTRY_PROTECTED_ALIASES: 'production,staging' } });
  const put = async (k: number, inputs: string[], name: string): Promise<string> => {
    const json = { inputs, transform: { executor: 'fit@v1', params: { k } }, data: { a: [k] }, name };
    return Object((await server.rest.send('PUT', '/v1/artifacts', { json })).json).artifact_uri;
  };
  const uri = await put(1, [], 'data/raw');
  const cleaned = await put(3, [uri], 'data/clean');
  const id = /artifact\/(.*)@v=1$/.exec(await put(2, [uri, cleaned], 'models/best'))?.[1] ?? '';
  await put(4, [], `data/${'a_long_name_'.repeat(12)}`);
  for (const alias of ['champion', 'production', 'staging'])
    await server.rest.send('PUT', `/v1/names/models/best/aliases/${alias}`, {
      json: { artifact_id: id, version: 1 },
    });
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/`);
  await page.getByRole('link', { name: 'Registry' }).click();
  const row = page.getByRole('row', { name: /^models\/best/ });
  await row.getByText('champion', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Lineage of models/best' }).click();
  const lineage = page.getByRole('region', { name: 'Where models/best comes from' });
  await lineage.getByRole('listitem').getByText(uri).first().waitFor();
  // What was made is at the right, what it read left of it, and what both read at the left end.
  const drawn = await lineage
    .getByRole('img', { name: /^Picture: / })
    .locator('text')
    .all();
  const steps = await Promise.all(
    drawn.map(async (one) => [(await one.boundingBox())?.x ?? 0, await one.textContent()] as const),
  );
  assert.deepEqual(
    steps.toSorted(([a], [b]) => a - b).map(([, name]) => name),
    ['data/raw', 'data/clean', 'models/best'],
  );
  const waiting = page.getByRole('region', { name: 'Waiting for approval' });
  const [table, last] = await Promise.all([
    page.getByRole('region', { name: 'Names', exact: true }).boundingBox(),
    page.getByRole('button', { name: 'Lineage of data/raw' }).boundingBox(),
  ]);
  assert.ok(table && last && last.x + last.width <= table.x + table.width, 'a long name leaves the buttons in sight');
  await picture(page, 'registry-light');
  await assertAccessible(page, 'the registry');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 380, height: 740 });
  await picture(page, 'registry-dark-narrow');
  await assertAccessible(page, 'the registry, dark and narrow');
  await assertFits(page, 'the registry');

  await waiting
    .getByRole('listitem')
    .filter({ hasText: 'production' })
    .getByRole('button', { name: 'Approve' })
    .click();
  await row.getByText('production', { exact: true }).waitFor();
  await waiting.getByRole('listitem').filter({ hasText: 'staging' }).getByRole('button', { name: 'Reject' }).click();
  await waiting.waitFor({ state: 'detached' });
  const { names } = Object((await server.rest.get('/v1/registry/summary')).json);
  const best = names.find(({ name }: { name: string }) => name === 'models/best');
  assert.deepEqual(best.aliases, { champion: 1, production: 1 });
  await page
    .getByRole('region', { name: 'What was changed' })
    .getByText(/production of models\/best/)
    .first()
    .waitFor();
  assert.deepEqual(problems, []);
});

it('a hundred versions of one name, protected: each sees what their role may, and what others decide', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  const home = newHome();
  const env = {
    ...proxyEnvironment,
    SVC_SERVICE_WRITES_ENABLED: 'true',
    SVC_REGISTRY_PROTECTED_ALIASES: 'production',
    SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
  };
  await using server = await startServer({ home, env });
  const to = () => server.address;
  const [write, decide] = ['notebook:read artifacts:write', 'admin:registry'];
  await using forAnn = await vouchingFor({ principal: 'ann', scopes: write, tenant: 'lab' }, to);
  await using forBoss = await vouchingFor({ principal: 'boss', scopes: `${write} ${decide}`, tenant: 'lab' }, to);
  await using forVic = await vouchingFor({ principal: 'vic', scopes: 'notebook:read', tenant: 'lab' }, to);
  const rest = createRest(forAnn.address);
  const uris: string[] = [];
  for (let k = 0; k < 100; k++) {
    const json = {
      inputs: [],
      transform: { executor: 'fit@v1', params: { k } },
      data: { a: [k] },
      name: 'models/best',
    };
    uris.push(Object((await rest.send('PUT', '/v1/artifacts', { json })).json).artifact_uri);
  }
  const short = (uri: string | undefined) => `${/artifact\/(.{8})/.exec(uri ?? '')?.[1]} v1`;
  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
    await page.goto(`${address}/#/registry`);
    await page.getByRole('row', { name: /^models\/best/ }).waitFor();
    return page;
  };
  const [ann, boss, vic] = [await open(forAnn.address), await open(forBoss.address), await open(forVic.address)];

  // Ann lets an alias point at an early version, and asks for a protected one.
  await ann.getByRole('button', { name: 'Versions of models/best' }).click();
  const versions = ann.getByRole('region', { name: 'Versions of models/best' });
  await versions.getByRole('button', { name: 'Show 80 more' }).click();
  assert.equal(await versions.getByRole('listitem').count(), 100);
  const set = async (uri: string | undefined, alias: string): Promise<void> => {
    await versions.getByRole('button', { name: `Set an alias to ${short(uri)}` }).click();
    await versions.getByLabel('Alias', { exact: true }).fill(alias);
    await versions.getByRole('button', { name: 'Set', exact: true }).click();
  };
  await set(uris[3], 'champion');
  await versions.getByText(`champion of models/best is ${short(uris[3])}.`).waitFor();
  assert.equal(await ann.locator(':focus').getAttribute('aria-label'), 'Versions of models/best', 'it stays there');
  await set(uris[4], 'production');
  await versions
    .getByText('production of models/best is protected: the change waits until somebody approves it.')
    .waitFor();
  await picture(ann, 'registry-versions-light');
  await assertAccessible(ann, 'versions of a name');

  // Those who looked already see both without loading the page again; only one of them may decide.
  for (const page of [boss, vic]) {
    await page.getByText(`champion ${short(uris[3])}`).waitFor();
    await page.getByRole('region', { name: 'Waiting for approval' }).getByText(short(uris[4])).waitFor();
  }
  const waiting = (page: Page) => page.getByRole('region', { name: 'Waiting for approval' });
  for (const page of [ann, vic]) {
    await waiting(page).getByText('Somebody with admin:registry decides.').waitFor();
    assert.equal(await waiting(page).getByRole('button').count(), 0);
  }
  await ann.getByRole('button', { name: 'Close' }).click();
  await boss.getByRole('button', { name: 'Versions of models/best' }).click();
  await vic.getByRole('button', { name: 'Versions of models/best' }).click();
  await vic.getByRole('region', { name: 'Versions of models/best' }).getByText(short(uris[99])).waitFor();
  assert.equal(await vic.getByRole('button', { name: /^Set an alias/ }).count(), 0);

  // Refused: nothing points at it, and the asker is told who refused.
  await waiting(boss).getByRole('button', { name: 'Reject' }).click();
  await waiting(ann).waitFor({ state: 'detached' });
  await ann
    .getByRole('region', { name: 'What was changed' })
    .getByText(`refused production of models/best: ${short(uris[4])}`)
    .waitFor();
  assert.equal((await rest.get('/v1/names/models/best/aliases/production')).status, 404);

  // Whoever asked does not approve; another wish than the one that was looked at is not approved unseen.
  const asBoss = createRest(forBoss.address);
  const wish = (uri: string | undefined) => ({
    json: { artifact_id: /artifact\/(.*)@v=1$/.exec(uri ?? '')?.[1], version: 1 },
  });
  await asBoss.send('PUT', '/v1/names/models/best/aliases/production', wish(uris[5]));
  await waiting(boss).getByText('Somebody else has to approve it.').waitFor();
  await waiting(boss).getByRole('button', { name: 'Withdraw' }).click();
  await waiting(boss).waitFor({ state: 'detached' });
  await rest.send('PUT', '/v1/names/models/best/aliases/production', wish(uris[6]));
  await waiting(boss).getByText(short(uris[6])).waitFor();
  await boss.route('**/v1/events*', (route) => route.abort());
  await rest.send('PUT', '/v1/names/models/best/aliases/production', wish(uris[7]));
  await waiting(boss).getByRole('button', { name: 'Approve' }).click();
  await boss.getByText('ann has asked for something else meanwhile. Look at it, then decide.').waitFor();
  await waiting(boss).getByText(short(uris[7])).waitFor();
  await waiting(boss).getByRole('button', { name: 'Approve' }).click();
  await waiting(boss).waitFor({ state: 'detached' });
  assert.equal(Object((await rest.get('/v1/names/models/best/aliases/production')).json).artifact_uri, uris[7]);
  await boss.emulateMedia({ colorScheme: 'dark' });
  await boss.setViewportSize({ width: 380, height: 740 });
  await picture(boss, 'registry-versions-dark-narrow');
  await assertAccessible(boss, 'versions of a name, dark and narrow');
  await assertFits(boss, 'versions of a name');
});
