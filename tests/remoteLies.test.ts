// Workers that lie: answers without end, bundles that are none, words that are no protocol. The cell fails with a code, the
// server keeps its memory, and no connection stays behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it, type TestContext } from 'node:test';
import { packTar, type TarEntry } from '../src/bundle/index.ts';
import { type FakeAnswer, fakeWorker } from './kit/fakeWorker.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

/** Writes until nobody listens any more. */
function endlessly(response: ServerResponse, piece: Buffer): void {
  const more = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

const spaces = Buffer.alloc(1024 * 1024, ' ');
const zeros = Buffer.alloc(1024 * 1024);

const bundle = async (entries: TarEntry[], more: object = {}): Promise<Buffer> => {
  const manifest = {
    schema_version: 'notebook-output-bundle@v1',
    success: true,
    variables: {},
    stdout_file: 'stdout.txt',
    stderr_file: 'stderr.txt',
    ...more,
  };
  const empty = Buffer.alloc(0);
  const whole = [
    { name: 'stdout.txt', content: empty },
    { name: 'stderr.txt', content: empty },
    ...entries,
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) },
  ];
  return Buffer.concat(await Array.fromAsync(packTar(whole)));
};

const peakMegabytes = (): number =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

describe('a worker that lies', { skip: process.platform === 'linux' ? false : 'reads the process table' }, () => {
  let count = 0;

  async function codeOf(context: TestContext, answer: FakeAnswer, config: object = {}, health?: FakeAnswer) {
    const fake = await fakeWorker(context, answer, health);
    const notebook = await createTestNotebook(server, `Lies ${count++}`);
    const spec = { name: 'fake', config: { url: `${fake.address}/v1/execute`, ...config } };
    assert.equal((await notebook.request('PUT', '/workers', { workers: [spec] })).status, 200);
    const cell = await notebook.add('# @worker fake\n# @timeout 20\nx = 1');
    const { remote_error_code: code } = await notebook.run(cell);
    return { code };
  }

  it('cannot fill the memory of the server with what it says', async (context) => {
    const before = peakMegabytes();
    const endless = (status: number) => (_request: unknown, response: ServerResponse) =>
      endlessly(response.writeHead(status), spaces);
    const job: FakeAnswer = (request, response) => {
      if (request.method === 'POST') response.writeHead(202).end('{"job_url":"/v1/jobs/1"}');
      else endlessly(response, spaces);
    };
    assert.deepEqual(
      [
        (await codeOf(context, endless(500))).code,
        (await codeOf(context, endless(202))).code,
        (await codeOf(context, job)).code,
        (await codeOf(context, endless(200), { transport: 'signed' })).code,
        (await codeOf(context, endless(500), {}, endless(200))).code,
      ],
      ['EXECUTOR_HTTP_ERROR', 'PROTOCOL_ERROR', 'JOB_STATUS_FAILED', 'PROTOCOL_ERROR', 'REQUEST_FAILED'],
    );
    assert.ok(peakMegabytes() - before < 200, `${before} MB before, ${peakMegabytes()} MB at most`);
  });

  it('that says yes in no language of ours is refused', async (context) => {
    const { code } = await codeOf(context, (_request, response) => response.end('all good'), { transport: 'signed' });
    assert.equal(code, 'PROTOCOL_ERROR');
  });

  it('and goes on after its bundle, or in the middle of a wrong one, is left', async (context) => {
    const bodies = { whole: await bundle([]), wrong: await bundle([{ name: '/etc/x', content: Buffer.from('x') }]) };
    for (const [what, body] of Object.entries(bodies)) {
      const closed = Promise.withResolvers<void>();
      const { code } = await codeOf(context, (_request, response) => {
        void once(response, 'close').then(() => closed.resolve());
        response.write(body);
        endlessly(response, zeros);
      });
      // The variable that was asked for is not in the whole one; that is the cell's failure, not the worker's.
      assert.equal(code, what === 'whole' ? undefined : 'INVALID_NOTEBOOK_BUNDLE', what);
      await closed.promise;
    }
  });

  it('gives no names to values that are no names', async (context) => {
    for (const name of ['../../x', 'x@v=1', 'a\u0000b', '', 'n'.repeat(300)]) {
      const variables = { [name]: { content_type: 'json/object', file: 'files/x.json' } };
      const body = await bundle([{ name: 'files/x.json', content: Buffer.from('1') }], { variables });
      const { code } = await codeOf(context, (_request, response) => response.end(body));
      assert.equal(code, 'INVALID_NOTEBOOK_BUNDLE', JSON.stringify(name.slice(0, 20)));
    }
  });
});
