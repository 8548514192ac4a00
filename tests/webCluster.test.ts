// Cells of a page on a real cluster: who waits, who starts, where they run, how full it is; the same in the terminal. One stop
// ends all of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { startDispatch } from './kit/dispatch.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { needProgram } from './kit/parts.ts';
import { cleanEnvironment, startServer } from './kit/server.ts';
import { slurmCluster } from './kit/slurmCluster.ts';
import { openTerminal } from './kit/terminal.ts';
import { until } from './kit/until.ts';

const viewer = fileURLToPath(new URL('../bin/svc-notebook-tui.js', import.meta.url));
const cell = (page: Page, name: RegExp) => page.getByRole('listitem', { name }).first();

it('shows a cluster as a worker, and on each cell whether it waits or where it runs', async (t) => {
  await using browser = await openBrowser(t);
  const tmux = needProgram(t, 'tmux', 'Install tmux.');
  const found = browser.ready && tmux !== undefined ? await slurmCluster(t) : undefined;
  if (!found) return;
  await using cluster = found;
  const args = [...cluster.args, '--port', '0', '--look-seconds', '0.2'];
  await using dispatch = await startDispatch({ args, env: cluster.env });
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Cluster');
  const workers = [{ name: 'cluster', backend: 'executor', config: { url: dispatch.address, environment: 'own' } }];
  assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
  // Together they want more than the four CPUs that there are.
  for (const name of ['first', 'second'])
    await notebook.add(`# @name ${name}\n# @worker cluster\n# @resources cpus=3\nimport time; time.sleep(600)`);

  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await cell(page, /^first/).waitFor();
  await page.keyboard.press('8');
  const panel = page.getByRole('complementary', { name: 'Workers' });
  await panel.getByText('cluster · healthy').waitFor();
  await panel.getByText('1 node · 4 CPUs · 16 GiB').waitFor();
  notebook.socket.send('notebook_run_all');

  await cell(page, /^first/)
    .getByText(`running on ${cluster.node}`)
    .waitFor();
  await cell(page, /^second/)
    .getByText(/waiting for slurm, #1 \(.+\)/)
    .waitFor();
  await panel.getByText(/^1 of \d+ slots used · 1 waiting$/).waitFor();
  await panel.getByRole('button', { name: /^first running on/ }).waitFor();
  await panel.getByRole('button', { name: /^second waiting for slurm, #1/ }).waitFor();
  await picture(page, 'cluster-light');
  await assertAccessible(page, 'a cluster');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'cluster-dark');
  await assertAccessible(page, 'a cluster in the dark');
  await page.setViewportSize({ width: 390, height: 800 });
  await picture(page, 'cluster-narrow-panel');
  await assertFits(page, 'a cluster on a phone');
  await panel.getByRole('button', { name: 'Close Workers' }).click();
  await picture(page, 'cluster-narrow');
  await assertFits(page, 'cells on a cluster on a phone');

  // Whoever comes late sees the same.
  await page.reload();
  await cell(page, /^second/)
    .getByText(/waiting for slurm, #1/)
    .waitFor();
  const command = `'${process.execPath}' '${viewer}' --server ${server.address} --session ${notebook.sessionId}`;
  {
    using terminal = openTerminal(command, {
      cwd: server.home,
      env: { ...cleanEnvironment(server.home), LC_ALL: 'C.UTF-8', TERM: 'xterm-256color' },
    });
    await terminal.shows(/first .*running on /);
    await terminal.shows(/second .*waiting for slurm, #1/);
  }

  await cell(page, /^second/)
    .getByRole('button', { name: 'Stop' })
    .click();
  for (const name of [/^first, python, idle/, /^second, python, idle/]) await cell(page, name).waitFor();
  await until(async () => {
    const { active_executions, queued_executions } = await dispatch.health();
    return active_executions === 0 && queued_executions === 0;
  }, 'nothing of it runs or waits on the cluster');
  assert.deepEqual(problems, []);
  await page.close();
});
