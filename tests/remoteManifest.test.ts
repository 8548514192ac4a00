// Manifests of cells that workers pull: renewed while the cell runs, worth nothing afterwards.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { type BuildManifestBody, buildManifestBody } from '../src/protocol/index.ts';
import { listening } from './kit/listening.ts';
import { specOf, startRemote, workerToken } from './kit/remote.ts';
import { runSvc } from './kit/server.ts';
import { until } from './kit/until.ts';

const remote = startRemote();
const { notebookWith } = remote;

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
      const answer = await fetch(`${remote.worker.address}${request.url}`, {
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
    await until(async () => (await post(first.finalize_url)) !== 400, 'the upload is complete');
    assert.deepEqual([await post(first.finalize_url), await post(first.output.url)], [409, 409]);
    const ran = await running;
    assert.deepEqual([ran.status, ran.stdout, ran.display?.preview], ['ready', 'early\nlate\n', 42], String(ran.error));
    const over = await Promise.all([
      fetch(first.manifest_url),
      fetch(`${remote.server.address}/v1/builds/${first.build_id}/manifest`),
    ]);
    assert.deepEqual(
      over.map(({ status }) => status),
      [404, 404],
    );
  });

  it('ends with the result that was brought, also when the last word of the worker is lost', async (context) => {
    const between = createServer(async (request, response) => {
      const body = request.method === 'POST' ? { body: new Uint8Array(await buffer(request)) } : {};
      const answer = await fetch(`${remote.worker.address}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { authorization: request.headers.authorization ?? '' },
        ...body,
      });
      const said = await answer.text();
      if (request.url === '/v1/execute-manifest') response.destroy();
      else response.writeHead(answer.status).end(said);
    });
    const spec = specOf('gpu', await listening(context, between), { transport: 'signed' });
    const notebook = await notebookWith('Lost word', spec);
    const ran = await notebook.run(await notebook.add('# @worker gpu\n6 * 7'));
    assert.deepEqual([ran.status, ran.display?.preview], ['ready', 42], String(ran.error));
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
    const answer = await fetch(`${remote.server.address}/v1/builds/${manifest.build_id}/manifest`);
    const said = await answer.text();
    const renewed = buildManifestBody.parse(JSON.parse(said));
    assert.doesNotMatch(said, /hidden value/);
    assert.deepEqual(Object(renewed.metadata.params.env).names, ['MY_SECRET']);
    assert.equal((await fetch(manifest.finalize_url, { method: 'POST' })).status, 409);
    assert.equal((await fetch(renewed.finalize_url, { method: 'POST' })).status, 400, 'nothing was uploaded');
    assert.equal((await fetch(`${manifest.manifest_url}x`)).status, 403);
    assert.equal(
      (await fetch(`${remote.server.address}/v1/builds/${manifest.build_id}/manifest?expires_at=1`)).status,
      400,
    );
    end();
    assert.equal((await running).status, 'error');
  });
});

describe('the order of a cell', () => {
  it('says whether somebody sits before the notebook or it is run without anybody', async (context) => {
    const origins: string[] = [];
    const told = createServer(async (request, response) => {
      const body = (await buffer(request)).toString();
      origins.push(/"origin": ?"(\w+)"/.exec(body)?.[1] ?? '');
      if (request.method === 'GET') response.end('{"status":"healthy","capabilities":{"features":{}}}');
      else response.writeHead(500).end('{"detail":"not now"}');
    });
    const address = await listening(context, told);
    const notebook = await notebookWith('Headless', specOf('gpu', address));
    await notebook.run(await notebook.add('# @worker gpu\n1 + 1'));
    await notebook.request('POST', '/close');
    const { home } = remote.server;
    const ran = await runSvc(['run', notebook.path], { home, env: { TEST_WORKER_TOKEN: workerToken } });
    assert.deepEqual(new Set(origins.filter((origin) => origin !== '')), new Set(['notebook', 'run']), ran.stderr);
  });
});
