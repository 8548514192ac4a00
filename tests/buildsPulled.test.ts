// Builds that executors pull: the manifest and its signed addresses, and every way in which they are worth nothing.
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { buildManifestBody } from '../src/protocol/index.ts';
import { begunBuild, buildNow } from './kit/builds.ts';
import { arrowOf } from './kit/executor.ts';
import { createRest } from './kit/rest.ts';
import { rowsAt } from './kit/scan.ts';
import { type Environment, newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment, startWithKeys } from './kit/service.ts';
import { until } from './kit/until.ts';
import { createWarehouse } from './kit/warehouse.ts';

/** So long between looks that new builds are left to executors that pull. */
const patient: Environment = { SVC_BUILD_RUNNER_POLL_INTERVAL_MS: '600000' };
const sql = 'duckdb_sql@v1';

const manifestOf = (server: TestServer, id: string) => server.rest.read(buildManifestBody, `/v1/builds/${id}/manifest`);

const send = (url: string, body: Uint8Array | string = '{}') => createRest('').send('POST', url, { body });
const fetched = (url: string) => createRest('').get(url);
const said = ({ status, json }: { status: number; json: unknown }) => [
  status,
  Object(json).detail ?? Object(json).status,
];

const forged = 'The signature of this address is wrong, or its time is over';

describe('a build that is pulled', () => {
  it('is claimed, computed elsewhere and finalized once', async () => {
    await using server = await startServer({ env: patient });
    const stored = await server.rest.send('PUT', '/v1/artifacts', {
      json: { inputs: [], transform: { executor: 'x@v1' }, data: { n: [1, 2] }, name: 'two' },
    });
    const input = String(Object(stored.json).artifact_uri);
    const body = `{"inputs":["svc://name/two"],"transform":{"executor":"${sql}","params":{"sql":"x","big":9007199254740993}},"name":"pulled"}`;
    const headers = { 'content-type': 'application/json' };
    const { build_id: id, artifact_uri } = Object((await server.rest.post('/v1/materialize', { body, headers })).json);
    const raw = await server.rest.get(`/v1/builds/${id}/manifest`);
    assert.match(raw.text, /"big":9007199254740993/);
    const manifest = buildManifestBody.parse(raw.json);
    const [, artifactId, version] = /artifact\/(.+)@v=(\d+)/.exec(artifact_uri) ?? [];
    const { params: _params, ...metadata } = manifest.metadata;
    assert.deepEqual(metadata, {
      build_id: id,
      artifact_id: artifactId,
      version: Number(version),
      executor_ref: sql,
    });
    assert.deepEqual([manifest.output.max_bytes, manifest.output.method], [1_073_741_824, 'POST']);
    assert.equal((await buildNow(server, id)).state, 'building');
    const [source] = manifest.inputs;
    assert.equal(`svc://artifact/${source?.artifact_id}@v=${source?.version}`, input);
    const got = await fetch(source?.url ?? '');
    assert.deepEqual(
      [got.status, got.headers.get('content-disposition')],
      [200, `attachment; filename="${source?.artifact_id}_v1.arrow"`],
    );

    assert.deepEqual(said(await send(manifest.finalize_url)), [400, `Nothing was uploaded for the build ${id}`]);
    assert.deepEqual(said(await send(manifest.output.url, '')), [400, 'Empty request body']);
    const uploaded = await send(manifest.output.url, arrowOf([1]));
    assert.deepEqual(uploaded.json, { status: 'uploaded', build_id: id, byte_size: arrowOf([1]).length });
    // What is brought again replaces what was brought before.
    await send(manifest.output.url, arrowOf([4, 5]));
    const log = await send(`${manifest.log_url}&stream=stdout&seq=0`, 'working');
    assert.deepEqual([log.status, log.json], [202, { delivered: false }]);
    assert.equal((await send(`${manifest.output_file_url}&folder=f&path=a`, 'x')).status, 409);
    const finalized = await send(manifest.finalize_url);
    assert.deepEqual(finalized.json, {
      status: 'finalized',
      build_id: id,
      artifact_uri,
      name_uri: null,
      byte_size: arrowOf([4, 5]).length,
      row_count: 2,
    });
    const { rows } = await rowsAt(server, `/v1/artifacts/${artifactId}/v/${version}/data`);
    assert.deepEqual(rows, [{ n: 4 }, { n: 5 }]);
    assert.equal(Object((await server.rest.get('/v1/names/pulled')).json).artifact_uri, artifact_uri);

    // Replayed: nothing is taken any more.
    const over = 'Build is not in pending or building state (state=ready); ask for a new one';
    assert.deepEqual(
      [
        said(await send(manifest.finalize_url)),
        said(await send(manifest.output.url, arrowOf([9]))),
        said(await server.rest.get(`/v1/builds/${id}/manifest`)),
        said(await server.rest.post(`/v1/builds/${id}/finalize`)),
      ],
      [
        [400, over],
        [400, over],
        [400, over],
        [400, over],
      ],
    );
    assert.deepEqual((await rowsAt(server, `/v1/artifacts/${artifactId}/v/${version}/data`)).rows, rows);
  });

  it('takes nothing by an address that was changed, exchanged or is too old', async () => {
    const home = newHome();
    const env = { ...patient, SVC_TRANSFORM_SIGNING_SECRET: 'shared' };
    await using server = await startServer({ home, env });
    const id = await begunBuild(server, sql, { params: { sql: 'x' } });
    const other = await begunBuild(server, sql, { params: { sql: 'y' } });
    const { output, finalize_url, log_url } = await manifestOf(server, id);
    const elsewhere = await manifestOf(server, other);
    const changed = (address: string, changes: Readonly<Record<string, string>>): string => {
      const url = new URL(address);
      for (const [key, value] of Object.entries(changes)) url.searchParams.set(key, value);
      return url.href;
    };
    const signatureOf = (address: string): string => new URL(address).searchParams.get('signature') ?? '';
    const addresses = [
      changed(output.url, { max_bytes: '99999999999' }),
      changed(output.url, { attempt: '0'.repeat(32) }),
      changed(output.url, { attempt: '' }),
      changed(output.url, { build_id: other }),
      changed(output.url, { expires_at: String(output.expires_at + 1000) }),
      changed(output.url, { signature: signatureOf(finalize_url) }),
      changed(output.url, { signature: signatureOf(elsewhere.output.url) }),
      changed(output.url, { signature: '' }),
      changed(finalize_url, { lease: 'external:manifest:1.5' }),
      changed(finalize_url, { signature: signatureOf(log_url) }),
      finalize_url.replace(id, other),
      changed(log_url, { expires_at: '1', seq: '0' }),
    ];
    for (const address of addresses) assert.deepEqual(said(await send(address, arrowOf([1]))), [403, forged], address);
    const download = new URL('/v1/artifacts/download', server.address);
    download.search = new URLSearchParams({
      artifact_id: 'a',
      version: '1',
      build_id: id,
      expires_at: String(output.expires_at),
      signature: signatureOf(output.url),
    }).toString();
    assert.deepEqual(said(await fetched(download.href)), [403, forged]);
    const half = new URL(finalize_url);
    half.searchParams.delete('signature');
    assert.equal((await send(half.href)).status, 400);
    assert.equal((await buildNow(server, id)).state, 'building');
    // Nodes that share the secret take each other's addresses, also after a restart.
    assert.equal((await send(output.url, arrowOf([1]))).status, 200);
    await server.stop('SIGKILL');
    await using restarted = await startServer({ home, env });
    const moved = finalize_url.replace(server.address, restarted.address);
    assert.deepEqual(said(await send(moved)), [200, 'finalized']);
  });

  it('runs out, and is renewed by a new manifest', async () => {
    await using server = await startServer({ env: { ...patient, SVC_SIGNED_URL_EXPIRY_SECONDS: '2' } });
    const id = await begunBuild(server, sql, { params: { sql: 'select 1' } });
    const { output, finalize_url } = await manifestOf(server, id);
    assert.equal((await send(output.url, arrowOf([1]))).status, 200);
    await until(() => Date.now() / 1000 >= output.expires_at, 'the address is too old');
    assert.deepEqual(said(await send(finalize_url)), [403, forged]);
    assert.deepEqual(said(await send(output.url, arrowOf([1]))), [403, forged]);
    // A new manifest renews the hold.
    const again = await manifestOf(server, id);
    assert.equal((await send(again.output.url, arrowOf([1]))).status, 200);
    assert.equal((await send(again.finalize_url)).status, 200);
  });

  it('belongs to the newest manifest', async () => {
    await using server = await startServer({ env: patient });
    const id = await begunBuild(server, sql, { params: { sql: 'x' } });
    const first = await manifestOf(server, id);
    const second = await manifestOf(server, id);
    assert.equal((await send(first.output.url, arrowOf([1]))).status, 200);
    const lost = [409, 'Build lease is no longer held by this caller; nothing was published'];
    assert.deepEqual(said(await send(first.finalize_url)), lost);
    assert.deepEqual(said(await send(second.finalize_url)), [400, `Nothing was uploaded for the build ${id}`]);
    await send(second.output.url, arrowOf([2]));
    assert.deepEqual(said(await send(second.finalize_url)), [200, 'finalized']);
  });

  it('fails with a result that is no Arrow stream, and is not issued over tables', async () => {
    await using warehouse = await createWarehouse(`
t = catalog.create_table("db.t", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1]}))`);
    await using server = await startServer({ env: patient });
    const id = await begunBuild(server, sql, { params: { sql: 'x' } });
    const { output, finalize_url } = await manifestOf(server, id);
    await send(output.url, 'no arrow at all');
    const invalid = 'Invalid Arrow IPC format: this is not an Arrow IPC stream';
    assert.deepEqual(said(await send(finalize_url)), [400, invalid]);
    const { state, error_code, error_message } = await buildNow(server, id);
    assert.deepEqual([state, error_code, error_message], ['failed', 'INVALID_ARROW_FORMAT', invalid]);
    const table = await begunBuild(server, sql, { inputs: [warehouse.uri('t')], params: { sql: 'x' } });
    const refused = await server.rest.get(`/v1/builds/${table}/manifest`);
    assert.deepEqual(said(refused), [
      400,
      `Cannot resolve input artifact: ${warehouse.uri('t')}. Builds over tables run on the server only.`,
    ]);
    assert.equal((await buildNow(server, table)).state, 'pending');
    assert.deepEqual(said(await server.rest.get('/v1/builds/none/manifest')), [404, 'Build not found']);
  });

  it('is not given to others while the runner works on it', async () => {
    await using server = await startServer();
    const slow = 'select count(*) from range(1000000000000) t(i) where hash(i) = 1';
    const id = await begunBuild(server, sql, { params: { sql: slow } });
    await until(async () => (await buildNow(server, id)).state === 'building', 'the runner works on it');
    const refused = await server.rest.get(`/v1/builds/${id}/manifest`);
    assert.deepEqual(said(refused), [409, 'Build is already being executed by the local runner']);
  });
});

describe('manifests of a service', () => {
  it('are for who asked, behind a trusted proxy', async () => {
    const home = newHome();
    const enabled = {
      ...patient,
      SVC_TRANSFORMS_CONFIG: JSON.stringify({
        enabled: true,
        registry: [{ ref: sql, executor_url: 'embedded://local' }],
      }),
    };
    const env = { ...proxyEnvironment, ...enabled, SVC_ARTIFACT_DIR: path.join(home, 'artifacts') };
    await using server = await startServer({ home, env });
    const [alice, bob] = ['alice', 'bob'].map((principal) => asserted({ principal, tenant: 't' }));
    const id = await begunBuild(server, sql, { params: { sql: 'x' }, headers: alice ?? {} });
    const ask = (headers: Readonly<Record<string, string>>) =>
      server.rest.get(`/v1/builds/${id}/manifest`, { headers });
    assert.deepEqual([(await ask({})).status, (await ask(bob ?? {})).status], [401, 404]);
    const manifest = buildManifestBody.parse((await ask(alice ?? {})).json);
    // The signature alone is the credential.
    assert.equal((await send(manifest.output.url, arrowOf([1]))).status, 200);
    assert.equal((await server.rest.post(`/v1/builds/${id}/finalize`)).status, 401);
    assert.equal((await server.rest.post(`/v1/builds/${id}/finalize`, { headers: bob ?? {} })).status, 404);
    assert.equal((await server.rest.post(`/v1/builds/${id}/finalize`, { headers: alice ?? {} })).status, 200);

    await using keyed = await startWithKeys(enabled);
    const key = await keyed.createKey('carol', '--tenant', 't');
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await keyed.rest.get('/v1/builds/any/manifest', { headers })).status, 404);
  });
});
