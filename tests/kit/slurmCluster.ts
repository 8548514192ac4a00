// A real Slurm as the suite of cluster engines takes it.
import os from 'node:os';
import type { TestContext } from 'node:test';
import type { TestCluster } from './dispatchSuite.ts';
import { startSlurm } from './slurm.ts';

/** Undefined when Slurm is not installed and the test was skipped. */
export async function slurmCluster(t: TestContext, args: readonly string[] = []): Promise<TestCluster | undefined> {
  const slurm = await startSlurm(t, { cpus: 4, memoryMb: 16_000 });
  if (!slurm) return undefined;
  const { env, node } = slurm;
  return {
    name: 'slurm',
    args: ['--engine', 'slurm', '--partition', 'main', '--memory', '1GB', ...args],
    env: { ...env, SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' },
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
}
