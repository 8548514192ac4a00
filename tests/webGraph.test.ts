// The graph of a notebook with five hundred cells in a real browser: laid out beside the page, searched, narrowed and walked.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { notebookState } from '../src/protocol/index.ts';
import { openBrowser } from './kit/browser.ts';
import { openTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

const count = 500;
/** At least 85 % of its size: names can be read. */
const nodeHeightSeen = 25;
/** Three chains that meet now and then. */
const sourceOf = (index: number): string => {
  const own = `step_${index} = ${index}`;
  if (index < 3) return `${own}\n`;
  return index % 50 === 0 ? `${own} + step_${index - 3} + step_${index - 1}\n` : `${own} + step_${index - 3}\n`;
};

async function largeNotebook(server: TestServer): Promise<string> {
  const { json } = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Large' } });
  const { session_id, path: directory } = notebookState.parse(json);
  await server.rest.post(`/v1/notebooks/${session_id}/close`);
  const entries = Array.from({ length: count }, (_, order) => {
    const id = `c${String(order).padStart(7, '0')}`;
    fs.writeFileSync(path.join(directory, 'cells', `${id}.py`), sourceOf(order));
    return `    { id = "${id}", file = "${id}.py", language = "python", order = ${order} },\n`;
  });
  const file = path.join(directory, 'notebook.toml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('cells = []', `cells = [\n${entries.join('')}]`));
  return (await openTestNotebook(server, directory)).sessionId;
}

it('a graph of 500 cells leaves the page free, is searched, narrowed and walked, and shows what a run would compute', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const sessionId = await largeNotebook(server);
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${sessionId}`);
  await page.locator('[role=listitem]').first().waitFor();
  await page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
  `);
  await page.getByRole('button', { name: 'Graph', exact: true }).click();
  const graph = page.getByRole('region', { name: 'Graph of cells' });
  const node = (name: string) => graph.locator('.graph-node', { hasText: new RegExp(`^${name}$`) });
  await node('step_0').waitFor();
  t.diagnostic(`longest task of the page while its graph came: ${await page.evaluate('window.longest')} ms`);
  // Those in sight alone are drawn, and their names can be read.
  assert.ok((await graph.locator('.graph-node').count()) < 150);
  const box = await node('step_0').boundingBox();
  assert.ok(box && box.height >= nodeHeightSeen, `a cell is ${box?.height} pixels tall`);
  await graph.getByRole('img', { name: 'The whole graph, small' }).waitFor();

  // What a jump brings comes a few cells at a time: no picture of the page waits for all of them.
  await page.evaluate(`
    window.atOnce = 0;
    new MutationObserver((changes) => {
      const came = changes.flatMap(({ addedNodes }) => [...addedNodes]).length;
      window.atOnce = Math.max(window.atOnce, came);
    }).observe(document.querySelector('[role=list][aria-label=Cells]'), { childList: true });
  `);
  const find = page.getByRole('searchbox', { name: 'Find in the graph' });
  await find.fill('step_333');
  await page.getByRole('status').filter({ hasText: '1 match' }).waitFor();
  await find.press('Enter');
  await page.locator('[role=listitem].selected[aria-label^="step_333,"]').waitFor();
  await node('step_333').waitFor();
  for (const name of ['step_326', 'step_336']) await page.locator(`[role=listitem][aria-label^="${name},"]`).waitFor();
  const atOnce = Number(await page.evaluate('window.atOnce'));
  assert.ok(atOnce > 0 && atOnce <= 6, `${atOnce} cells came with one picture`);
  // A line is there also where the cell at its other end is not: of all cells but the three first ones one comes from above.
  const [drawn, lines] = await page.evaluate<[number, number]>(`[
    document.querySelectorAll('.graph-node').length,
    document.querySelector('.graph-line').getAttribute('d').split('M').length - 1,
  ]`);
  assert.ok(lines >= drawn - 3, `${lines} lines to ${drawn} cells`);
  await find.fill('');

  await node('step_330').click();
  await page.locator('[role=listitem].selected[aria-label^="step_330,"]').waitFor();
  await node('step_333').click();
  await page.locator('[role=listitem].selected[aria-label^="step_333,"]').waitFor();
  await graph.focus();
  const label = () => page.locator('[role=listitem].selected').getAttribute('aria-label');
  await page.keyboard.press('ArrowDown');
  await page.locator('[role=listitem].selected[aria-label^="step_336,"]').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.locator('[role=listitem].selected[aria-label^="step_333,"]').waitFor();
  await page.keyboard.press('Enter');
  assert.match((await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')) ?? '', /^step_333,/);
  assert.match((await label()) ?? '', /^step_333,/);

  await page.getByRole('combobox', { name: 'Which cells' }).selectOption('below');
  await node('step_336').waitFor();
  await node('step_330').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Which cells' }).selectOption('above');
  await node('step_330').waitFor();
  await node('step_336').waitFor({ state: 'detached' });

  const cell = page.locator('[role=listitem].selected');
  await cell.getByRole('button', { name: 'Run', exact: true }).hover();
  const hint = page.getByRole('tooltip');
  await hint.waitFor();
  assert.match(await hint.innerText(), /^Runs \d+ cells, never run yet: step_0, .*, and \d+ more$/);
  await graph.locator('.graph-node.planned', { hasText: /^step_330$/ }).waitFor();
  await picture(page, 'graph-500');
  await assertAccessible(page, 'a graph of 500 cells');

  await page.setViewportSize({ width: 390, height: 844 });
  const field = await graph.locator('.react-flow').boundingBox();
  assert.ok(
    field && field.width > 300 && field.height > 200,
    `the field is ${JSON.stringify(field)} in a narrow window`,
  );
  await node('step_333').waitFor();
  await picture(page, 'graph-500-narrow');
  assert.deepEqual(problems, []);
  await page.close();
});
