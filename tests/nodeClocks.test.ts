// Servers on one PostgreSQL whose clocks differ by an hour: what is over is judged by the clock of the database.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { begunBuild, buildOnce, isOver } from './kit/builds.ts';
import { arrowOf, startExecutor } from './kit/executor.ts';
import { startPostgres } from './kit/postgres.ts';
import { clockOff, startServer } from './kit/server.ts';

describe('a server whose clock is wrong', { concurrency: true }, () => {
  for (const seconds of [3600, -3600])
    it(`by ${seconds} s takes no build from another, and loses none but by its end`, async (t) => {
      await using postgres = await startPostgres(t);
      if (!postgres) return;
      const waiting: (() => void)[] = [];
      await using executor = await startExecutor((_order, response) => {
        waiting.push(() => response.writeHead(200).end(arrowOf([1, 2])));
      });
      const registry = [{ ref: 'x@*', executor_url: executor.url }];
      // Each takes one build at a time, and the second starts when the first has one: it is known who holds which.
      const shared = {
        SVC_ARTIFACT_METADATA_DSN: postgres.dsn,
        SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry }),
        SVC_BUILD_RUNNER_MAX_CONCURRENT: '1',
      };
      await using right = await startServer({ env: shared });
      const begun = executor.next();
      const held = await begunBuild(right, 'x@held');
      await begun;
      const blobs = { SVC_ARTIFACT_DIR: path.join(right.home, '.svc/artifacts') };
      await using wrong = await startServer({ env: { ...shared, ...blobs, ...clockOff(seconds) } });
      const next = executor.next();
      const left = await begunBuild(wrong, 'x@left');
      // Had it not respected the other's lease, it would have been asked for that build, the older one, first.
      assert.match((await next).metadata, /x@left/);
      waiting.shift()?.();
      assert.equal((await buildOnce(right, held, isOver)).state, 'ready');
      assert.equal(executor.orders.length, 2);

      const again = executor.next();
      await wrong.stop('SIGKILL');
      assert.match((await again).metadata, /x@left/);
      waiting.pop()?.();
      assert.equal((await buildOnce(right, left, isOver)).state, 'ready');
      assert.equal(executor.orders.length, 3);
    });
});
