// A person watches an agent in a real browser: who it is, which cell it is at and why, and stops it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { connectAgent } from './kit/mcp.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';

describe('an agent at work', () => {
  it('is seen as it works, is stopped, changes nothing more, and goes on when it may', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer({ env: { SVC_MCP_ENABLED: 'true' } });
    const notebook = await createTestNotebook(server, 'Watched');
    const slow = await notebook.add('# @name slow\nimport time\ntime.sleep(600)');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await using agent = await connectAgent(server.address);
    const session_id = notebook.sessionId;

    const { id: plan } = await agent.call('add_cell', {
      session_id,
      source: '# @name plan\nplan = 1',
      author: 'mei',
      why: 'to have a plan',
    });
    const running = agent.refused('run_cell', { session_id, cell_id: slow, why: 'to see how long it takes' });
    const bar = page.getByRole('region', { name: 'Agents' });
    await bar.getByText('tests: Run a cell').waitFor();
    await bar.getByText('to see how long it takes').waitFor();
    await page.getByRole('listitem', { name: /^slow.*running/ }).waitFor();
    await page
      .getByRole('listitem', { name: /^slow/ })
      .getByTitle(/tests is at work here/)
      .waitFor();
    await page.getByRole('listitem', { name: /^plan/ }).getByText('by mei').waitFor();
    await picture(page, 'agents-light');
    await assertAccessible(page, 'an agent at work');

    // Whoever comes later sees it too.
    const second = await browser.newPage({ viewport: { width: 380, height: 740 }, colorScheme: 'dark' });
    await second.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await second.getByRole('region', { name: 'Agents' }).getByText('tests: Run a cell').waitFor();
    await picture(second, 'agents-dark-narrow');
    await assertAccessible(second, 'an agent at work, dark and narrow');
    await assertFits(second, 'an agent at work');
    await second.close();

    await bar.getByRole('button', { name: 'Stop agents' }).click();
    assert.match(await running, /Somebody has stopped agents in this notebook/);
    await bar.getByText('Agents are stopped in this notebook.').waitFor();
    await page.getByRole('listitem', { name: /^slow, python, (?!.*running)/ }).waitFor();
    const refused = await agent.refused('edit_cell', { session_id, cell_id: slow, source: 'x = 1' });
    assert.match(refused, /Do not try again before you are told to go on/);
    assert.match((await notebook.cell(slow)).source, /sleep/);
    await agent.call('get_notebook', { session_id });
    await bar.getByText('What they did').click();
    await bar.getByText(/mei: Add a cell.*to have a plan/).waitFor();
    await bar.getByText(/tests: Run a cell in slow.*stopped/).waitFor();
    await picture(page, 'agents-stopped-light');
    await assertAccessible(page, 'agents are stopped');

    await bar.getByRole('button', { name: 'Let them go on' }).click();
    await bar.getByText('Agents are stopped').waitFor({ state: 'detached' });
    await agent.call('edit_cell', { session_id, cell_id: plan, source: '# @name plan\nplan = 2', author: 'mei' });
    assert.equal((await notebook.cell(String(plan))).source, '# @name plan\nplan = 2');
    assert.deepEqual(problems, []);
  });
});
