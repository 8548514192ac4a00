// Cells on a real Slurm whose nodes share nothing with the dispatcher but a file system: its workers run without any network.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startDispatch } from './kit/dispatch.ts';
import { bundleIn, dispatchSuite, printedBy } from './kit/dispatchSuite.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { freePort } from './kit/ports.ts';
import { startServer } from './kit/server.ts';
import { slurmCluster } from './kit/slurmCluster.ts';
import { until } from './kit/until.ts';

/** Files come and go meanwhile. */
const bytesBelow = (folder: string): number =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, size) => sum + size, 0);

const worker = fileURLToPath(new URL('../bin/svc-worker.js', import.meta.url));
const alone = `unshare --map-root-user --net '${process.execPath}' '${worker}'`;

dispatchSuite(
  'svc dispatch on Slurm, through files',
  (t) => slurmCluster(t, ['--workers-reach', 'files', '--worker-command', alone]),
  (shared) => {
    it('takes inputs, files and results of a server by its own way out', async () => {
      const { dispatch } = shared();
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Files alone');
      const config = { url: dispatch.address, transport: 'signed', environment: 'own' };
      const workers = [{ name: 'cluster', backend: 'executor', config }];
      assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
      await notebook.add('numbers = list(range(100_000))');
      const cell = await notebook.add('# @worker cluster\ntotal = sum(numbers)\nprint(total)');
      const ended = await notebook.run(cell);
      assert.equal(ended.status, 'ready', JSON.stringify(ended));
    });

    it('loses no result that is on its way to a server when the dispatcher is killed', async (t) => {
      const { cluster } = shared();
      t.after(() => cluster.stopAll());
      const args = [...cluster.args, '--look-seconds', '0.2', '--port', String(await freePort())];
      const killed = await startDispatch({ args, env: cluster.env });
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'On its way');
      const config = { url: killed.address, transport: 'signed', environment: 'own' };
      const workers = [{ name: 'cluster', backend: 'executor', config }];
      assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
      const cell = await notebook.add('# @worker cluster\nimport os\nlarge = os.urandom(40_000_000)');
      await notebook.add('len(large)');
      const ended = notebook.run(cell);
      const exchange = path.join(killed.home, '.svc/dispatch/exchange');
      await until(() => bytesBelow(exchange) > 1_000_000, 'the result is on its way');
      await killed.kill();
      await using _next = await startDispatch({ args, env: cluster.env, home: killed.home });
      const { status, error } = await ended;
      assert.deepEqual([status, error], ['ready', null]);
    });

    it('brings large values back, and leaves nothing behind when its workers are gone', async () => {
      const { cluster } = shared();
      const args = [...cluster.args, '--look-seconds', '0.2', '--idle-seconds', '0.5', '--port', '0'];
      await using brief = await startDispatch({ args, env: cluster.env });
      const cell = await brief.hand(
        'import socket\nprint([name for _, name in socket.if_nameindex()])\nlarge = bytes(range(256)) * 80_000',
      );
      const ended = bundleIn(await cell.ended());
      assert.equal(ended.manifest.success, true, JSON.stringify(ended.manifest));
      assert.equal(printedBy(ended), "['lo']\n");
      const exchange = path.join(brief.home, '.svc/dispatch/exchange');
      assert.equal(fs.statSync(exchange).mode & 0o777, 0o700);
      await until(() => fs.readdirSync(path.join(exchange, 'w')).length === 0, 'the folders of its workers are gone');
    });
  },
);
