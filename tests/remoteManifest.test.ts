// Manifests of cells that workers pull: renewed while the cell runs, worth nothing afterwards.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { type BuildManifestBody, buildManifestBody } from '../src/protocol/index.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { startWorker, type TestWorker } from './kit/worker.ts';

const token = 'token-of-the-worker';

let server: TestServer;
let worker: TestWorker;
before(async () => {
  worker = await startWorker({ env: { SVC_WORKER_TOKEN: token, SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' } });
  server = await startServer({ env: { TEST_WORKER_TOKEN: token, SVC_WORKER_PROVISIONING_TIMEOUT_SECONDS: '3' } });
});
after(async () => {
  await worker[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const specOf = (name: string, url: string, config: object = {}) => ({
  name,
  backend: 'executor',
  config: { url: `${url}/v1/execute`, token_env: 'TEST_WORKER_TOKEN', ...config },
});

async function notebookWith(name: string, ...workers: object[]): Promise<TestNotebook> {
  const notebook = await createTestNotebook(server, name);
  const answer = await notebook.request('PUT', '/workers', { workers });
  assert.equal(answer.status, 200, answer.text);
  return notebook;
}

async function listening(context: TestContext, fake: Server): Promise<string> {
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    fake.closeAllConnections();
    fake.close();
  });
  const place = fake.address();
  assert.ok(place !== null && typeof place === 'object');
  return `http://127.0.0.1:${place.port}`;
}

describe('the manifest of a cell that a worker pulled', () => {
  /** Between server and worker: what the server sent, with addresses that are over in a moment. */
  async function hurried(context: TestContext): Promise<{ address: string; manifests: BuildManifestBody[] }> {
    const manifests: BuildManifestBody[] = [];
    const between = createServer(async (request, response) => {
      const body = await buffer(request);
      let sent: string | undefined = request.method === 'POST' ? body.toString() : undefined;
      if (request.url === '/v1/execute-manifest') {
        const manifest = JSON.parse(body.toString());
        manifests.push(buildManifestBody.parse(manifest));
        manifest.output.expires_at = Date.now() / 1000 + 3;
        sent = JSON.stringify(manifest);
      }
      const answer = await fetch(`${worker.address}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization: request.headers.authorization ?? '' },
        ...(sent === undefined ? {} : { body: sent }),
      });
      response.writeHead(answer.status).end(await answer.text());
    });
    return { address: await listening(context, between), manifests };
  }

  it('is renewed while the cell runs; the addresses before it are worth nothing then', async (context) => {
    const { address, manifests } = await hurried(context);
    const notebook = await notebookWith('Renewed', specOf('gpu', address, { transport: 'signed' }));
    const cell = await notebook.add(
      '# @worker gpu\nimport time\nprint("early", flush=True)\ntime.sleep(2.5)\nprint("late")\n6 * 7',
    );
    const running = notebook.run(cell);
    await notebook.framesUntil(({ type }) => type === 'cell_console');
    const [first] = manifests;
    assert.ok(first?.manifest_url);
    const post = async (url: string): Promise<number> => (await fetch(url, { method: 'POST', body: 'x' })).status;
    // Until the worker has renewed it, it is good: nothing was uploaded yet.
    while ((await post(first.finalize_url)) === 400);
    assert.deepEqual([await post(first.finalize_url), await post(first.output.url)], [409, 409]);
    const ran = await running;
    assert.deepEqual([ran.status, ran.stdout, ran.display?.preview], ['ready', 'early\nlate\n', 42], String(ran.error));
    const over = await Promise.all([
      fetch(first.manifest_url),
      fetch(`${server.address}/v1/builds/${first.build_id}/manifest`),
    ]);
    assert.deepEqual(
      over.map(({ status }) => status),
      [404, 404],
    );
  });

  it('is given to its owner too, without the values of variables', async (context) => {
    const held = Promise.withResolvers<{ manifest: BuildManifestBody; end: () => void }>();
    const slow = createServer(async (request, response) => {
      if (request.url !== '/v1/execute-manifest') {
        response.end('{"status":"healthy","capabilities":{"features":{}}}');
        return;
      }
      const manifest = buildManifestBody.parse(JSON.parse((await buffer(request)).toString()));
      held.resolve({ manifest, end: () => response.writeHead(500).end('{}') });
    });
    const notebook = await notebookWith(
      'Owner',
      specOf('slow', await listening(context, slow), { transport: 'signed' }),
    );
    await notebook.request('PUT', '/env', { env: { MY_SECRET: 'hidden value' } });
    const running = notebook.run(await notebook.add('# @worker slow\n1'));
    const { manifest, end } = await held.promise;
    const answer = await fetch(`${server.address}/v1/builds/${manifest.build_id}/manifest`);
    const said = await answer.text();
    const renewed = buildManifestBody.parse(JSON.parse(said));
    assert.doesNotMatch(said, /hidden value/);
    assert.deepEqual(Object(renewed.metadata.params.env).names, ['MY_SECRET']);
    assert.equal((await fetch(manifest.finalize_url, { method: 'POST' })).status, 409);
    assert.equal((await fetch(renewed.finalize_url, { method: 'POST' })).status, 400, 'nothing was uploaded');
    assert.equal((await fetch(`${manifest.manifest_url}x`)).status, 403);
    assert.equal((await fetch(`${server.address}/v1/builds/${manifest.build_id}/manifest?expires_at=1`)).status, 400);
    end();
    assert.equal((await running).status, 'error');
  });
});
