// Workers whose clocks are wrong by an hour: all moments of a run are meant by the server's clock, and only their distances
// count elsewhere.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { specOf, startRemote, workerToken } from './kit/remote.ts';
import { clockOff } from './kit/server.ts';
import { startWorker } from './kit/worker.ts';

const remote = startRemote();

describe('a worker whose clock is wrong', () => {
  for (const seconds of [3600, -3600])
    it(`by ${seconds} s runs cells in both ways, with inputs, console and folders`, async (context) => {
      const worker = await startWorker({
        env: {
          SVC_WORKER_TOKEN: workerToken,
          SVC_WORKER_ALLOW_LOCAL_HOSTS: '1',
          SVC_WORKER_OUTPUT_DIR_POLL_SECONDS: '0.1',
          ...clockOff(seconds),
        },
      });
      context.after(() => worker[Symbol.asyncDispose]());
      for (const transport of ['direct', 'signed']) {
        const spec = specOf('off', worker.address, { transport });
        const notebook = await remote.notebookWith(`Off by ${seconds}, ${transport}`, spec);
        await notebook.run(await notebook.add('numbers = [1, 2, 3]'));
        const there = await notebook.add(`# @worker off
# @output_dir model
print("said", flush=True)
(model / "a.txt").write_text("alpha")
total = sum(numbers)
total`);
        const ran = await notebook.run(there);
        assert.deepEqual([ran.status, ran.stdout, ran.display?.preview], ['ready', 'said\n', 6], String(ran.error));
        const read = await notebook.run(await notebook.add('[total, (model / "a.txt").read_text()]'));
        assert.deepEqual(read.display?.preview, [6, 'alpha']);
        // Kept as any other result, whatever the worker takes the time to be.
        assert.equal((await notebook.run(there)).cache_hit, true);
      }
    });
});
