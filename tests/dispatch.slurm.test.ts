// Cells on a real Slurm.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { startDispatch } from './kit/dispatch.ts';
import { dispatchSuite, toldIn } from './kit/dispatchSuite.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';
import { slurmCluster } from './kit/slurmCluster.ts';

dispatchSuite(
  'svc dispatch on Slurm',
  (t) => slurmCluster(t),
  (shared) => {
    it('takes as many cells of a run at once as the cluster has room for', async (t) => {
      const { cluster, dispatch } = shared();
      await cluster.stopAll();
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Fan out');
      const workers = [{ name: 'cluster', backend: 'executor', config: { url: dispatch.address, environment: 'own' } }];
      assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-fan-'));
      t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
      // No cell ends before four run, which is more than this machine would run at once.
      const source = (name: string): string => `# @worker cluster
import os, time
open("${folder}/${name}", "w").close()
while len(os.listdir("${folder}")) < 4: time.sleep(0.05)
${name} = "done"`;
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await notebook.add(source(name));
      const ready = new Set<unknown>();
      const all = notebook.framesUntil(({ type, payload }) => {
        if (type === 'cell_status' && payload.status === 'ready') ready.add(payload.cell_id);
        return ready.size === 6;
      });
      notebook.socket.send('notebook_run_all');
      await all;
      assert.equal(await notebook.statuses(), 'ready ready ready ready ready ready');
    });

    it('tells what a cell touched where it ran: a repeat runs it, and cells below go on with what is stored', async (t) => {
      const { dispatch } = shared();
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Touched');
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-touched-'));
      t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
      const prices = path.join(folder, 'prices.csv');
      for (const transport of [null, 'signed']) {
        fs.writeFileSync(prices, '1');
        const config = { url: dispatch.address, environment: 'own', ...(transport === null ? {} : { transport }) };
        const workers = [{ name: 'cluster', backend: 'executor', config }];
        assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
        const name = `price_${transport}`;
        const reads = await notebook.add(
          `# @worker cluster\n${name} = open("${prices}").read()\nopen("own.txt", "w").close()`,
        );
        const below = await notebook.add(`${name} + "!"`);
        await notebook.run(below);
        const { read, written, worker, unwatched } = (await notebook.cell(reads)).effects ?? {};
        assert.deepEqual(
          { read, written, worker, unwatched },
          { read: [prices], written: ['own.txt'], worker: 'cluster', unwatched: 0 },
        );
        fs.writeFileSync(prices, '2');
        assert.equal((await notebook.run(below)).cache_hit, true);
        assert.equal((await notebook.run(reads)).cache_hit, false);
        await notebook.run(below);
        assert.equal((await notebook.cell(below)).display_output?.preview, '2!');
      }
    });

    it('tells of a partition that is not there', async () => {
      const args = ['--engine', 'slurm', '--port', '0', '--partition', 'nope'];
      await using elsewhere = await startDispatch({ args, env: shared().cluster.env });
      const { status_code, error } = toldIn(await (await elsewhere.hand('x = 1')).ended());
      assert.deepEqual(
        [status_code, error],
        [
          502,
          'Slurm refused (sbatch): invalid partition specified: nope; Batch job submission failed: Invalid partition name specified',
        ],
      );
    });

    it('tells of a cell that used more memory than it was given', async () => {
      const cell = await shared().dispatch.hand(
        '# @resources memory=600MB\nblock = b"x" * 1_500_000_000\nimport time; time.sleep(600)',
      );
      const { status_code, error = '' } = toldIn(await cell.ended());
      assert.equal(status_code, 500);
      assert.match(error, /used more memory than it was given\. Give it more with # @resources memory=/);
    });
  },
);
