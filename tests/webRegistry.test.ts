// The registry in a real browser: names with their aliases, a change that waits is approved or rejected, lineage, and the audit.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

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
  for (const alias of ['champion', 'production', 'staging'])
    await server.rest.send('PUT', `/v1/names/models/best/aliases/${alias}`, {
      json: { artifact_id: id, version: 1 },
    });
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/`);
  await page.getByRole('link', { name: 'Registry' }).click();
  const row = page.getByRole('row', { name: /^models\/best/ });
  await row.getByText('champion 1').waitFor();
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
  await row.getByText('production 1').waitFor();
  await waiting.getByRole('listitem').filter({ hasText: 'staging' }).getByRole('button', { name: 'Reject' }).click();
  await waiting.waitFor({ state: 'detached' });
  const { names } = Object((await server.rest.get('/v1/registry/summary')).json);
  const best = names.find(({ name }: { name: string }) => name === 'models/best');
  assert.deepEqual(best.aliases, { champion: 1, production: 1 });
  await page
    .getByRole('region', { name: 'What was changed' })
    .getByText(/models\/best production/)
    .first()
    .waitFor();
  assert.deepEqual(problems, []);
});
