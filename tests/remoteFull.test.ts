// A worker that takes one cell at a time, and many cells for it: each shows its place in line, and goes there as soon as the
// one before it is done. A refusal of a worker that does not say that it is full is the cell's failure, and not asked for again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeWorker } from './kit/fakeWorker.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { specOf, workerToken } from './kit/remote.ts';
import { startServer } from './kit/server.ts';
import { startWorker } from './kit/worker.ts';

const cells = 6;

describe('cells for a worker that is full', () => {
  for (const transport of ['direct', 'signed'])
    it(`stand in line and follow each other at once (${transport})`, async () => {
      await using worker = await startWorker({
        env: { SVC_WORKER_TOKEN: workerToken, SVC_WORKER_ALLOW_LOCAL_HOSTS: '1', SVC_WORKER_MAX_CONCURRENT: '1' },
      });
      await using server = await startServer({ env: { TEST_WORKER_TOKEN: workerToken } });
      const notebooks = await Promise.all(
        Array.from({ length: cells }, async (_one, index) => {
          const notebook = await createTestNotebook(server, `Line ${index}`);
          const workers = [specOf('one', worker.address, { transport })];
          assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
          return { notebook, cell: await notebook.add(`# @worker one\nimport time\ntime.sleep(0.3)\n${index}`) };
        }),
      );
      const places: number[] = [];
      const begun = performance.now();
      const ran = await Promise.all(
        notebooks.map(async ({ notebook, cell }) => {
          const frames = notebook.framesUntil(
            ({ type, payload }) => type === 'cell_status' && Object(payload).status === 'ready',
          );
          const { display, error } = await notebook.run(cell);
          for (const { payload } of await frames) {
            const { remote_queue_position: place, remote_queue_detail: detail } = Object(payload);
            if (typeof place !== 'number') continue;
            places.push(place);
            assert.equal(detail, `the worker is full, #${place} in line`);
          }
          return error ?? display?.preview;
        }),
      );
      const took = performance.now() - begun;
      assert.deepEqual(
        ran,
        notebooks.map((_one, index) => index),
      );
      // One ran at once; the others were told every place from the one where they joined.
      assert.equal(places.filter((place) => place === 1).length, cells - 1);
      assert.ok(Math.max(...places) > 1);
      // Waiting for Retry-After between two cells would take five seconds each time.
      assert.ok(took < (cells - 1) * 5000, `it took ${Math.round(took)} ms`);
    });

  for (const [transport, route] of [
    ['direct', 'POST /v1/execute'],
    ['signed', 'POST /v1/execute-manifest'],
  ] as const)
    it(`are refused at once where nobody says that it is (${transport})`, async (context) => {
      const fake = await fakeWorker(context, (_request, response) => {
        response.writeHead(503, { 'retry-after': '1' }).end('{"detail":"closed for today"}');
      });
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Refused');
      const workers = [specOf('one', fake.address, { transport })];
      assert.equal((await notebook.request('PUT', '/workers', { workers })).status, 200);
      const { error, remote_error_code } = await notebook.run(await notebook.add('# @worker one\n1'));
      assert.deepEqual(
        [error, remote_error_code, fake.calls.filter((call) => call.startsWith(route))],
        ['WorkerFailed: The worker one answered 503: closed for today', 'EXECUTOR_HTTP_ERROR', [route]],
      );
    });
});
