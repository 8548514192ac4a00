// Cells on a real Ray: `npm run test:ray`, and in CI. Not in a plain `npm test`: Ray is 300 MB to fetch and takes more than a minute.
import type { TestContext } from 'node:test';
import { dispatchSuite, type TestCluster } from './kit/dispatchSuite.ts';
import { freePort } from './kit/ports.ts';
import { startRay } from './kit/ray.ts';

const suite = (): void =>
  dispatchSuite(
    'svc dispatch on Ray',
    async (t: TestContext): Promise<TestCluster> => {
      const ray = await startRay(t, { cpus: 4, memoryBytes: 16e9 });
      const stopAll = async (): Promise<void> => {
        for (const job of await ray.jobs()) await ray.stop(job);
      };
      const nowhere = `http://127.0.0.1:${await freePort()}`;
      return {
        name: 'ray',
        args: ['--engine', 'ray', '--address', ray.address],
        env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' },
        node: ray.node,
        jobs: async () => (await ray.jobs()).length,
        stopAll,
        loseNode: stopAll,
        lostWords: /^Somebody stopped the job of its worker( on \S+)? in the cluster\.$/,
        nowhere: { args: ['--engine', 'ray', '--address', nowhere], env: {} },
        nowhereWords: /^Ray does not answer at /,
        [Symbol.asyncDispose]: () => ray[Symbol.asyncDispose](),
      };
    },
    () => {},
  );

if (process.env.SVC_TEST_RAY === '1' || process.env.SVC_TEST_ALL === '1') suite();
