// The artifact routes of a real server, as clients use them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { tableFromArrays, tableFromIPC, tableToIPC } from '@uwdata/flechette';
import type { z } from 'zod';
import {
  artifactRecord,
  collectedBody,
  dependentsBody,
  explainBody,
  lineageBody,
  nameStatusBody,
  provenanceBody,
  publicationBody,
  storedBody,
} from '../src/protocol/index.ts';
import type { Answer } from './kit/rest.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';

let server: TestServer;
before(async () => {
  server = await startServer({
    env: { SVC_REGISTRY_PROTECTED_ALIASES: 'production', SVC_MAX_UPLOAD_BYTES: '2000000' },
  });
});
after(() => server[Symbol.asyncDispose]());

const arrow = (values: readonly number[]): Uint8Array =>
  tableToIPC(tableFromArrays({ v: [...values] }), { format: 'stream' }) ?? new Uint8Array();

interface Sent {
  readonly metadata?: unknown;
  readonly data?: Uint8Array;
}

function multipart({ metadata, data }: Sent): { body: Buffer; headers: Record<string, string> } {
  const part = (name: string, content: Uint8Array): Buffer =>
    Buffer.concat([
      Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    ]);
  const parts = [
    ...(metadata === undefined ? [] : [part('metadata', Buffer.from(JSON.stringify(metadata)))]),
    ...(data === undefined ? [] : [part('data', data)]),
    Buffer.from('--edge--\r\n'),
  ];
  return { body: Buffer.concat(parts), headers: { 'content-type': 'multipart/form-data; boundary=edge' } };
}

const put = (place: string, sent: Sent, headers: Record<string, string> = {}): Promise<Answer> => {
  const form = multipart(sent);
  return server.rest.send('PUT', place, { ...form, headers: { ...form.headers, ...headers } });
};

const putJson = (json: unknown): Promise<Answer> => server.rest.send('PUT', '/v1/artifacts', { json });
const transform = (k: unknown): object => ({ executor: 'my@v1', params: { k } });

async function stored(k: unknown, extra: object = {}): Promise<{ id: string; uri: string; path: string }> {
  const answer = await putJson({ inputs: [], transform: transform(k), data: { a: [1, 2] }, ...extra });
  assert.equal(answer.status, 200, answer.text);
  const { artifact_uri: uri } = storedBody.parse(answer.json);
  const id = /artifact\/(.*)@v=1$/.exec(uri)?.[1] ?? '';
  return { id, uri, path: `/v1/artifacts/${id}/v/1` };
}

describe('storing results', () => {
  it('takes JSON, turns it into Arrow, and finds it again', async () => {
    const answer = await putJson({
      inputs: ['file:///x#a.b'],
      transform: transform(1.5),
      data: { a: [1, 5, null], b: ['x', null, 'z'], c: [1.5, 2, null] },
      name: 'al/pha',
    });
    const body = storedBody.parse(answer.json);
    assert.deepEqual([answer.status, body.hit, body.name_uri], [200, false, 'svc://name/al/pha']);
    const named = Object((await server.rest.get('/v1/names/al/pha')).json);
    assert.equal(named.artifact_uri, body.artifact_uri);
    const place = body.artifact_uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/');
    const record = await server.rest.read(artifactRecord, place);
    assert.deepEqual(
      [record.arrow_schema, record.row_count, record.transform_spec, record.state],
      [
        'a: int64\nb: string\nc: double',
        3,
        '{"executor": "my@v1", "inputs": ["file:///x#a.b"], "params": {"k": 1.5}}',
        'ready',
      ],
    );
    const data = await fetch(`${server.address}${place}/data`);
    const bytes = new Uint8Array(await data.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), record.content_sha256);
    assert.equal(data.headers.get('x-arrow-row-count'), '3');
    assert.match(data.headers.get('content-security-policy') ?? '', /^sandbox; frame-ancestors 'self'$/);
    assert.equal(tableFromIPC(bytes).numRows, 3);
    const head = await fetch(`${server.address}${place}/data`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  });

  it('gives the same result for the same computation', async () => {
    const first = await stored('same');
    const again = storedBody.parse(
      (await putJson({ transform: transform('same'), data: 'other', name: 'again' })).json,
    );
    assert.deepEqual([again.artifact_uri, again.hit], [first.uri, true]);
    assert.notEqual((await stored(1)).id, (await stored('1')).id);
  });

  it('takes Arrow as it is, and nothing else for Arrow', async () => {
    const metadata = { inputs: [], transform: transform('arrow') };
    const data = arrow([1, 2, 3, 4]);
    const place = (await put('/v1/artifacts', { metadata, data })).json;
    const { artifact_uri } = storedBody.parse(place);
    const id = /artifact\/(.*)@v=1$/.exec(artifact_uri)?.[1];
    const record = await server.rest.read(artifactRecord, `/v1/artifacts/${id}/v/1`);
    assert.deepEqual([record.row_count, record.byte_size], [4, data.length]);
    const other = { transform: transform('refused') };
    const refused = [
      await put('/v1/artifacts', { metadata: other, data: Buffer.concat([data, data]) }),
      await put('/v1/artifacts', { metadata: other, data: Buffer.from('not arrow') }),
      await put('/v1/artifacts', { metadata: other, data: data.subarray(0, data.length - 30) }),
      await put('/v1/artifacts', { metadata: other }),
      await put('/v1/artifacts', { data }),
      await put('/v1/artifacts', { metadata: {}, data }),
      await putJson({ transform: transform('x') }),
      await putJson({ transform: transform('x'), data: { a: [1, 'x'] } }),
      await server.rest.send('PUT', '/v1/artifacts', { body: '{', headers: { 'content-type': 'application/json' } }),
    ];
    assert.deepEqual(
      refused.map(({ status, json }) => [status, String(Object(json).detail).split(':')[0]]),
      [
        [400, 'Invalid Arrow IPC data'],
        [400, 'Invalid Arrow IPC data'],
        [400, 'Invalid Arrow IPC data'],
        [400, "Missing 'data' field in multipart request"],
        [400, "Missing 'metadata' field in multipart request"],
        [400, "Missing 'executor' in transform"],
        [400, "Missing 'data' field"],
        [400, 'Failed to convert data to Arrow'],
        [400, 'Invalid JSON'],
      ],
    );
    assert.deepEqual(fs.readdirSync(path.join(server.home, '.svc/artifacts/staging')), []);
  });

  it('refuses what is too large while it arrives', async () => {
    const status = await new Promise((resolve, reject) => {
      const request = http.request(
        `${server.address}/v1/artifacts`,
        { method: 'PUT', headers: { 'content-type': 'multipart/form-data; boundary=edge' } },
        (response) => resolve(response.resume().statusCode),
      );
      request.on('error', reject);
      request.write('--edge\r\nContent-Disposition: form-data; name="data"; filename="d"\r\n\r\n');
      const schema = Buffer.from(arrow([1]));
      request.write(schema.subarray(0, schema.length - 8));
      for (let sent = 0; sent < 2_200_000; sent += 100_000) request.write(Buffer.alloc(100_000, 0xff));
    });
    assert.ok(status === 413 || status === 400);
    const declared = await server.rest.send('PUT', `/v1/artifacts/import/blobs/${'0'.repeat(64)}`, {
      body: Buffer.alloc(2_000_001),
    });
    assert.deepEqual(
      [declared.status, declared.json],
      [413, { detail: 'Request body exceeds max_upload_bytes (2000000 bytes)' }],
    );
  });

  it('keeps bytes under a key that the caller computed', async () => {
    const key = createHash('sha256').update('key').digest('hex');
    const place = `/v1/artifacts/by-provenance/${key}`;
    const miss = await server.rest.get(place);
    assert.deepEqual([miss.status, miss.headers['x-svc-provenance-miss']], [404, '1']);
    const metadata = { content_type: 'json/object', artifact_id: 'nb_1_var_df', row_count: 3, build_duration_ms: 12 };
    const body = Object((await put(place, { metadata, data: Buffer.from('{}') })).json);
    assert.deepEqual(body, {
      artifact_uri: 'svc://artifact/nb_1_var_df@v=1',
      hit: false,
      byte_size: 2,
      name_uri: null,
    });
    const found = await server.rest.read(provenanceBody, place);
    assert.deepEqual(
      [found.content_type, found.row_count, found.build_duration_ms, found.promotion],
      ['json/object', 3, 12, null],
    );
    assert.equal(Object((await put(place, { metadata, data: Buffer.from('[]') })).json).hit, true);
    const bad = await put(place, { metadata: { ...metadata, artifact_id: '../x' }, data: Buffer.from('1') });
    assert.deepEqual([bad.status, bad.json], [400, { detail: "an artifact id cannot name a path: '../x'" }]);
    assert.equal((await put('/v1/artifacts/by-provenance/xyz', { metadata })).status, 422);
  });
});

describe('the registry', () => {
  it('lets nothing happen but what an approver was shown, whatever was asked for meanwhile', async () => {
    const [shown, other] = [await stored('shown', { name: 'seen' }), await stored('other')];
    const ask = ({ id }: { id: string }): Promise<Answer> =>
      server.rest.send('PUT', '/v1/names/seen/aliases/production', { json: { artifact_id: id, version: 1 } });
    const approve = (target: object): Promise<Answer> =>
      server.rest.post('/v1/registry/pending/approve', { json: { name: 'seen', alias: 'production', ...target } });
    await ask(shown);
    const [change] = Object((await server.rest.get('/v1/registry/pending')).json).pending;
    const { artifact_id, version } = change;
    await ask(other);
    for (const seen of [
      { artifact_id, version },
      { artifact_id },
      { version: 2 },
      { artifact_id: null, version: null },
    ]) {
      const refused = await approve(seen);
      assert.equal(refused.status, 409, refused.text);
    }
    assert.equal((await server.rest.get('/v1/names/seen/aliases/production')).status, 404);
    assert.equal(Object((await approve({ artifact_id: other.id, version: 1 })).json).status, 'approved');
    assert.equal(Object((await server.rest.get('/v1/names/seen/aliases/production')).json).artifact_uri, other.uri);
  });

  it('moves names and aliases, and queues protected ones', async () => {
    const { id, uri } = await stored('registry', { name: 'm' });
    const target = { artifact_id: id, version: 1 };
    const alias = (name: string, method = 'PUT'): Promise<Answer> =>
      server.rest.send(method, `/v1/names/m/aliases/${name}`, method === 'PUT' ? { json: target } : {});
    assert.deepEqual((await alias('champ')).json, { status: 'applied', name: 'm', alias: 'champ', artifact_uri: uri });
    assert.equal(Object((await alias('champ')).json).status, 'unchanged');
    const queued = await alias('production');
    assert.deepEqual([queued.status, Object(queued.json).status], [202, 'pending']);
    assert.equal((await alias('production', 'GET')).status, 404);
    const pending = Object((await server.rest.get('/v1/registry/pending')).json).pending;
    assert.deepEqual([pending.length, pending[0].action], [1, 'set']);
    const approved = await server.rest.post('/v1/registry/pending/approve', {
      json: { name: 'm', alias: 'production' },
    });
    assert.equal(Object(approved.json).status, 'approved');
    assert.equal(Object((await alias('production', 'GET')).json).artifact_uri, uri);
    assert.equal(
      (await server.rest.post('/v1/registry/pending/reject', { json: { name: 'm', alias: 'production' } })).status,
      404,
    );
    await server.rest.send('PUT', `/v1/artifacts/${id}/v/1/tags`, { json: { key: 'stage', value: 'gold' } });
    const summary = Object((await server.rest.get('/v1/registry/summary')).json).names;
    assert.deepEqual(
      summary.find(({ name }: { name: string }) => name === 'm'),
      {
        tenant: null,
        name: 'm',
        ...target,
        uri,
        aliases: { champ: 1, production: 1 },
        alias_uris: { champ: uri, production: uri },
        tags: { stage: 'gold' },
        readers: [],
      },
    );
    const tagged = Object((await server.rest.get('/v1/registry/artifacts?tag_key=stage')).json).artifacts;
    assert.deepEqual(tagged, [{ ...target, uri, names: ['m'], tags: {}, tag_value: 'gold' }]);
    const events = Object((await server.rest.get('/v1/events?since=0&limit=2')).json);
    assert.equal(events.next, 2);
    assert.equal((await server.rest.send('DELETE', '/v1/names/m')).status, 200);
    assert.deepEqual((await server.rest.get('/v1/names/m')).json, { detail: "Name 'm' not found" });
  });

  it('says what a name was made from, and whether that has moved on', async () => {
    const first = await stored('input 1', { name: 'input' });
    const made = storedBody.parse(
      (await putJson({ inputs: ['svc://name/input'], transform: transform('made'), data: [1], name: 'made' })).json,
    );
    const status = (): Promise<z.infer<typeof nameStatusBody>> =>
      server.rest.read(nameStatusBody, '/v1/artifacts/names/made/status');
    assert.equal((await status()).is_stale, false);
    const explain = async (): Promise<z.infer<typeof explainBody>> =>
      explainBody.parse(
        (
          await server.rest.post('/v1/artifacts/explain-materialize', {
            json: { inputs: ['svc://name/input'], transform: transform('made'), name: 'made' },
          })
        ).json,
      );
    assert.deepEqual([(await explain()).would_hit, (await explain()).artifact_uri], [true, made.artifact_uri]);
    const second = await stored('input 2', { name: 'input' });
    const { is_stale, changed_inputs } = await status();
    const change = { input_uri: 'svc://name/input', old_version: `${first.id}@v=1`, new_version: `${second.id}@v=1` };
    assert.deepEqual([is_stale, changed_inputs], [true, [change]]);
    assert.deepEqual([(await explain()).would_build, (await explain()).changed_inputs], [true, [change]]);
    const id = /artifact\/(.*)@v=1$/.exec(made.artifact_uri)?.[1];
    const lineage = await server.rest.read(lineageBody, `/v1/artifacts/${id}/v/1/lineage`);
    assert.deepEqual([lineage.depth, lineage.direct_inputs], [1, [first.uri]]);
    const dependents = await server.rest.read(dependentsBody, `${first.path}/dependents`);
    assert.deepEqual([dependents.total_count, dependents.dependents[0]?.name], [1, 'made']);
  });

  it('deletes, pins and collects', async () => {
    const [kept, loose] = [await stored('kept'), await stored('loose')];
    const pin = await server.rest.post(`${kept.path}/pin`, { json: { reason: 'mine' } });
    assert.equal(pin.status, 200);
    assert.equal((await server.rest.post(`${kept.path}/pin`, { json: { reason: ' ' } })).status, 400);
    const gc = async (query: string) =>
      collectedBody.parse((await server.rest.post(`/v1/artifacts/gc?min_idle_seconds=0&max_bytes=1${query}`)).json);
    const plan = await gc('&dry_run=true');
    assert.ok(plan.collected?.some(({ artifact_id }) => artifact_id === loose.id));
    assert.ok(!plan.collected?.some(({ artifact_id }) => artifact_id === kept.id));
    assert.equal((await gc('')).deleted_count, plan.deleted_count);
    assert.deepEqual(
      [(await server.rest.get(loose.path)).status, (await server.rest.get(kept.path)).status],
      [404, 200],
    );
    assert.equal((await server.rest.send('DELETE', `${kept.path}/pin?reason=mine`)).status, 200);
    assert.equal((await server.rest.send('DELETE', `${kept.path}/pin?reason=mine`)).status, 404);
    assert.deepEqual((await server.rest.send('DELETE', kept.path)).json, { deleted: true, artifact_uri: kept.uri });
    assert.equal((await server.rest.send('DELETE', kept.path)).status, 404);
    assert.deepEqual((await server.rest.post('/v1/artifacts/gc?max_bytes=-1')).json, {
      detail: 'max_bytes must be non-negative',
    });
    assert.equal((await server.rest.get('/v1/artifacts?state=odd')).status, 400);
  });
});

describe('publications', () => {
  it('show a result to whoever has the link, until withdrawn', async () => {
    const { path: place, id } = await stored('published <b>');
    const minted = publicationBody.parse(
      (await server.rest.post(`${place}/publish`, { json: { title: 'A <figure>', authors: [{ name: 'Ann' }] } })).json,
    );
    const { token } = minted;
    assert.ok(token !== null && token.length === 43 && minted.url === `/p/${token}`);
    const again = publicationBody.parse((await server.rest.post(`${place}/publish`)).json);
    assert.deepEqual([again.id, again.token], [minted.id, null]);
    assert.equal((await server.rest.send('DELETE', place)).status, 409);

    const page = await server.rest.get(`/p/${token}`);
    assert.match(page.text, /<h1>A &lt;figure&gt;<\/h1>/);
    assert.match(page.text, /<th scope="col">a<\/th>/);
    assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'self'/);
    const data = await server.rest.get(`/p/${token}/data`);
    assert.equal(data.headers['content-type'], 'application/vnd.apache.arrow.stream');
    assert.match(
      (await server.rest.get(`/p/${token}/embed`)).headers['content-security-policy'] ?? '',
      /frame-ancestors \*/,
    );
    assert.match((await server.rest.get(`/p/${token}/badge.svg`)).text, /provenance: 1 step/);
    const verified = Object((await server.rest.get(`/p/${token}/verify`)).json);
    assert.equal(verified.matches, true);
    const known = await server.rest.get(`/p/${token}/verify?sha256=${verified.recorded_sha256}`);
    assert.deepEqual([Object(known.json).file, Object(known.json).matches], ['artifact.arrow', true]);
    const crate = await server.rest.get(`/p/${token}/ro-crate`);
    assert.equal(crate.headers['content-type'], 'application/ld+json');
    const oembed = await server.rest.get(`/oembed?url=${encodeURIComponent(`${server.address}/p/${token}`)}`);
    assert.equal(Object(oembed.json).title, 'A <figure>');
    assert.equal((await server.rest.get('/oembed?url=http://elsewhere/p/x')).status, 404);
    const archive = await fetch(`${server.address}/p/${token}/archive.zip`);
    const zip = Buffer.from(await archive.arrayBuffer());
    const digest = createHash('sha256').update(zip).digest('base64');
    assert.equal(archive.headers.get('content-digest'), `sha-256=:${digest}:`);
    const files = ['index.html', 'artifact.arrow', 'artifact.parquet', 'manifest.json', 'ro-crate-metadata.json'];
    for (const name of [...files, 'README.md']) assert.ok(zip.includes(name), name);
    const unknown = await server.rest.get(`/p/${token}/verify?sha256=${'0'.repeat(64)}`);
    assert.deepEqual([Object(unknown.json).file, Object(unknown.json).matches], [null, false]);
    const companion = fs.readFileSync(path.join(server.home, '.svc/cache/publications', `${minted.id}.parquet`));
    const companionDigest = createHash('sha256').update(companion).digest('hex');
    const parquet = await server.rest.get(`/p/${token}/verify?sha256=${companionDigest}`);
    assert.deepEqual([Object(parquet.json).file, Object(parquet.json).matches], ['artifact.parquet', true]);
    const shown = Object((await server.rest.get(`/v1/publications/${token}`)).json);
    assert.deepEqual([shown.artifact.artifact_id, shown.publication.authors], [id, [{ name: 'Ann' }]]);
    assert.equal((await server.rest.get(`/v1/publications/${minted.id}`)).status, 404);
    const credited = await server.rest.send('PATCH', `/v1/publications/${minted.id}`, { json: { authors: [] } });
    assert.deepEqual(Object(credited.json).authors, []);
    const moved = await server.rest.send('PATCH', `/v1/publications/${minted.id}`, { json: { version: 2 } });
    assert.equal(moved.status, 400);

    assert.deepEqual((await server.rest.send('DELETE', `/v1/publications/${token}`)).json, { revoked: true, token });
    const after = await Promise.all(
      ['', '/data', '/embed', '/ro-crate', '/archive.zip', '/verify', '/badge.svg'].map(
        async (part) => (await server.rest.get(`/p/${token}${part}`)).status,
      ),
    );
    assert.deepEqual(after, [200, 410, 410, 410, 410, 410, 200]);
    assert.match((await server.rest.get(`/p/${token}`)).text, /<h1>Withdrawn<\/h1>/);
    assert.equal((await server.rest.send('DELETE', place)).status, 200);
    assert.ok(!server.output().includes(token));
    assert.ok(!(await server.rest.get('/v1/logs?limit=1000')).text.includes(token));
  });
});

describe('a service', () => {
  it('keeps tenants apart, and lets only writers write', async () => {
    await using service = await startProxied({
      SVC_ARTIFACT_DIR: path.join(server.home, 'service-artifacts'),
      SVC_SERVICE_WRITES_ENABLED: 'true',
      SVC_MULTI_TENANT_ENABLED: 'true',
    });
    const as = (tenant: string | undefined, scopes = 'artifacts:write') =>
      asserted({ principal: 'p', scopes, ...(tenant === undefined ? {} : { tenant }) });
    const json = { transform: transform('service'), data: [1], name: 'n' };
    const write = (headers: Record<string, string>): Promise<Answer> =>
      service.rest.send('PUT', '/v1/artifacts', { json, headers });
    assert.equal(Object(Object((await write(as('t1', ''))).json).detail).error, 'missing_scope');
    const { artifact_uri } = storedBody.parse((await write(as('t1'))).json);
    const id = /artifact\/(.*)@v=1$/.exec(artifact_uri)?.[1];
    const read = async (headers: Record<string, string>, place = `/v1/artifacts/${id}/v/1`) =>
      (await service.rest.get(place, { headers })).status;
    assert.deepEqual(
      [await read(as('t1')), await read(as('t2')), await read(as(undefined)), await read(as(undefined, 'admin:*'))],
      [200, 404, 400, 200],
    );
    assert.deepEqual(
      [
        await read(as('t1'), '/v1/names/n'),
        await read(as('t2'), '/v1/names/n'),
        await read(as('t1', 'admin:*'), '/v1/artifacts'),
      ],
      [200, 404, 403],
    );
    const stolen = await service.rest.post('/v1/names', {
      json: { name: 'x', artifact_id: id, version: 1 },
      headers: as('t2'),
    });
    assert.deepEqual([stolen.status, stolen.json], [404, { detail: 'Artifact not found' }]);
    assert.deepEqual(
      [
        await read(as('t1'), '/v1/artifacts/stats'),
        await read(as('t1'), '/v1/artifacts/stats?tenant=t2'),
        await read(as(undefined), '/v1/artifacts/usage'),
      ],
      [200, 403, 400],
    );
  });

  it('hides what was made from a table that the caller may not read', async () => {
    await using service = await startProxied({
      SVC_ARTIFACT_DIR: path.join(server.home, 'ruled'),
      SVC_SERVICE_WRITES_ENABLED: 'true',
      SVC_ACL_CONFIG: JSON.stringify({
        default: 'allow',
        deny: [{ principal: 'eve', tables: ['file:db.secret'] }],
        allow: [],
      }),
    });
    const as = (principal: string) => asserted({ principal, scopes: 'artifacts:write', tenant: 't' });
    const put = async (inputs: string[], k: string): Promise<string> => {
      const json = { inputs, transform: transform(k), data: [1] };
      const answer = await service.rest.send('PUT', '/v1/artifacts', { json, headers: as('ann') });
      return storedBody.parse(answer.json).artifact_uri;
    };
    const derived = await put([await put(['file:///wh# db . secret'], 'from the table')], 'from that');
    const place = derived.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/');
    const read = async (principal: string) => {
      const { status, text } = await service.rest.get(`${place}/data`, { headers: as(principal) });
      return status === 200 ? status : [status, text];
    };
    assert.deepEqual([await read('ann'), await read('eve')], [200, [404, '{"detail":"Table not found"}']]);
  });

  it('refuses to write where writing is off', async () => {
    await using service = await startProxied({ SVC_ARTIFACT_DIR: path.join(server.home, 'read-only') });
    const answer = await service.rest.send('PUT', '/v1/artifacts', {
      json: {},
      headers: asserted({ principal: 'p', scopes: 'admin:*' }),
    });
    assert.deepEqual([answer.status, Object(Object(answer.json).detail).error], [403, 'writes_disabled']);
  });
});
