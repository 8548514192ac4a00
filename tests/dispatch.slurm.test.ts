// Cells on a real Slurm.
import assert from 'node:assert/strict';
import os from 'node:os';
import { it } from 'node:test';
import { startDispatch } from './kit/dispatch.ts';
import { dispatchSuite, type TestCluster, toldIn } from './kit/dispatchSuite.ts';
import { startSlurm } from './kit/slurm.ts';

dispatchSuite(
  'svc dispatch on Slurm',
  async (t): Promise<TestCluster | undefined> => {
    const slurm = await startSlurm(t, { cpus: 4, memoryMb: 16_000 });
    if (!slurm) return undefined;
    const { env, node } = slurm;
    return {
      name: 'slurm',
      args: ['--engine', 'slurm', '--partition', 'main', '--memory', '1GB'],
      env,
      node,
      jobs: async () => (await slurm.run('squeue', '--noheader', '--array')).split('\n').length - 1,
      stopAll: async () => void (await slurm.run('scancel', `--user=${os.userInfo().username}`)),
      async loseNode() {
        await slurm.run('scontrol', 'update', `nodename=${node}`, 'state=down', 'reason=lost');
        // It may have come back by itself.
        await slurm.run('scontrol', 'update', `nodename=${node}`, 'state=resume').catch(() => {});
      },
      lostWords: new RegExp(`^The node ${node} of its worker was lost\\.$`),
      nowhere: { args: ['--engine', 'slurm'], env: slurm.nowhere },
      nowhereWords: /^Slurm refused \(sinfo\): .*Unable to contact slurm controller/,
      [Symbol.asyncDispose]: () => slurm[Symbol.asyncDispose](),
    };
  },
  (shared) => {
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
