// Bytes between executors, workers and the object store itself: the server signs the addresses and passes nothing on.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { buildManifestBody } from '../src/protocol/index.ts';
import { begunBuild, buildNow } from './kit/builds.ts';
import { arrowOf } from './kit/executor.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore } from './kit/objectStores.ts';
import { rowsAt } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { startSignedGcs } from './kit/signedGcs.ts';
import { until } from './kit/until.ts';
import { startWorker } from './kit/worker.ts';

type Output = ReturnType<typeof buildManifestBody.parse>['output'];

/** As an executor brings its result. */
function bring({ url, method, fields, headers }: Output, bytes: Uint8Array): Promise<Response> {
  const body = new Uint8Array(bytes);
  if (!fields) return fetch(url, { method, body, headers: headers ?? {} });
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([body], 'result.arrow'));
  return fetch(url, { method, body: form });
}

async function pullsBuilds(server: TestServer): Promise<void> {
  const stored = await server.rest.send('PUT', '/v1/artifacts', {
    json: { inputs: [], transform: { executor: 'x@v1' }, data: { n: [1, 2] } },
  });
  const input = String(Object(stored.json).artifact_uri);
  const manifestOf = async (id: string) => server.rest.read(buildManifestBody, `/v1/builds/${id}/manifest`);
  const id = await begunBuild(server, 'duckdb_sql@v1', { inputs: [input], params: { sql: 'x' } });
  const { inputs, output, finalize_url } = await manifestOf(id);
  for (const { url } of [...inputs, output]) assert.notEqual(new URL(url).origin, new URL(server.address).origin);
  const source = new Uint8Array(await (await fetch(inputs[0]?.url ?? '')).arrayBuffer());
  const data = await fetch(
    `${server.address}${input.replace('svc://artifact', '/v1/artifacts').replace('@v=', '/v/')}/data`,
  );
  assert.deepEqual(source, new Uint8Array(await data.arrayBuffer()));
  assert.equal((await fetch(finalize_url, { method: 'POST' })).status, 400);
  assert.ok((await bring(output, arrowOf([4, 5, 6]))).ok);
  const finalized = await fetch(finalize_url, { method: 'POST' });
  assert.deepEqual([finalized.status, Object(await finalized.json()).row_count], [200, 3]);
  const { artifact_id, version } = await buildNow(server, id);
  const { rows } = await rowsAt(server, `/v1/artifacts/${artifact_id}/v/${version}/data`);
  assert.deepEqual(rows, [{ n: 4 }, { n: 5 }, { n: 6 }]);
  // Its address is still good at the store, and changes nothing here.
  assert.ok((await bring(output, arrowOf([7]))).ok);
  assert.deepEqual((await rowsAt(server, `/v1/artifacts/${artifact_id}/v/${version}/data`)).rows, rows);

  const other = await begunBuild(server, 'duckdb_sql@v1', { params: { sql: 'y' } });
  const manifest = await manifestOf(other);
  await bring(manifest.output, new TextEncoder().encode('no arrow'));
  assert.equal((await fetch(manifest.finalize_url, { method: 'POST' })).status, 400);
  assert.equal((await buildNow(server, other)).error_code, 'INVALID_ARROW_FORMAT');
}

async function runsCells(server: TestServer): Promise<void> {
  await using worker = await startWorker({ env: { SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' } });
  const notebook = await createTestNotebook(server);
  const config = { url: `${worker.address}/v1/execute`, transport: 'signed' };
  await notebook.request('PUT', '/workers', { workers: [{ name: 'far', backend: 'executor', config }] });
  const here = await notebook.add('numbers = [1, 2, 3]\nwords = "abc"');
  const there = await notebook.add('# @worker far\nprint("there")\ntotal = sum(numbers)\nwords * total');
  const back = await notebook.add('total + 1');
  await notebook.run(here);
  const ran = await notebook.run(there);
  assert.deepEqual(
    [ran.status, ran.stdout, ran.display?.preview],
    ['ready', 'there\n', 'abc'.repeat(6)],
    String(ran.error),
  );
  assert.equal((await notebook.run(back)).display?.preview, 7);
}

const bucketSettings = {
  s3: 'SVC_ARTIFACT_S3_BUCKET',
  gcs: 'SVC_ARTIFACT_GCS_BUCKET',
  azure: 'SVC_ARTIFACT_AZURE_CONTAINER',
} as const;

async function withStore(t: TestContext, kind: keyof typeof bucketSettings): Promise<void> {
  const objects = kind === 'gcs' ? await startSignedGcs(t) : await startObjectStore(t, kind);
  if (!objects) return;
  await using _held = objects;
  await using server = await startServer({
    env: {
      SVC_ARTIFACT_BLOB_BACKEND: kind,
      [bucketSettings[kind]]: bucket,
      SVC_ARTIFACT_PRESIGNED_URLS: 'true',
      SVC_BUILD_RUNNER_POLL_INTERVAL_MS: '600000',
      ...objects.settings,
    },
  });
  await pullsBuilds(server);
  await runsCells(server);
  if (kind === 's3') {
    const listing = await (await fetch(`${objects.env.AWS_ENDPOINT_URL}/${bucket}?list-type=2`)).text();
    assert.doesNotMatch(listing, /nbbuild-/);
  }
}

it('S3: builds and cells by addresses of the store', (t) => withStore(t, 's3'));
it('GCS: builds and cells by addresses of the store, whose signatures are verified', (t) => withStore(t, 'gcs'));
it('Azure: builds and cells by addresses of the store', (t) => withStore(t, 'azure'));

it('GCS: an address is good for its object, its size and its time alone', async (t) => {
  const started = await startSignedGcs(t);
  if (!started) return;
  await using objects = started;
  Object.assign(process.env, objects.env);
  const { openObjects } = await import('../src/objectStores/index.ts');
  const { presigner } = await openObjects({ kind: 'gcs', bucket, access: {} });
  assert.ok(presigner);
  const bytes = new TextEncoder().encode('bytes');
  const output = {
    ...(await presigner.upload('artifacts/a b&c~ü.arrow', { maxBytes: 10, seconds: 60 })),
    max_bytes: 10,
    expires_at: 0,
  };
  const bringAs = async (change: Readonly<Record<string, string>>, body = bytes): Promise<number> =>
    (await bring({ ...output, fields: { ...output.fields, ...change } }, body)).status;
  assert.equal(await bringAs({}), 204);
  const url = await presigner.download('artifacts/a b&c~ü.arrow', 60);
  assert.equal(await (await fetch(url)).text(), 'bytes');
  const old = await presigner.download('artifacts/a b&c~ü.arrow', 1);
  const statusOf = async (address: string): Promise<number> => (await fetch(address)).status;
  assert.deepEqual(
    [
      await bringAs({ key: 'artifacts/other' }),
      await bringAs({}, new Uint8Array(11)),
      await bringAs({}, new Uint8Array(0)),
      await bringAs({ 'x-goog-signature': '00' }),
      await statusOf(url.replace('/artifacts/', '/other/')),
      await statusOf(url.replace(/X-Goog-Expires=\d+/, 'X-Goog-Expires=600')),
    ],
    [403, 403, 403, 403, 403, 403],
  );
  await until(async () => (await statusOf(old)) !== 200, 'the address is too old');
  assert.equal(objects.refused.at(-1), 'ExpiredToken');
});
