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
