// Builds of transforms by executors: orders that are pushed, what they may take and bring, and what a crash leaves.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, it } from 'node:test';
import { begunBuild, buildNow, buildOnce, isOver, orderBuild } from './kit/builds.ts';
import { arrowOf, startExecutor } from './kit/executor.ts';
import { order, rowsAt } from './kit/scan.ts';
import { type Environment, newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment } from './kit/service.ts';
import { createWarehouse } from './kit/warehouse.ts';

const arrow = 'application/vnd.apache.arrow.stream';

const registryOf = (...registry: object[]): Environment => ({
  SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry }),
});

async function stored(server: TestServer, numbers: readonly number[], name: string): Promise<string> {
  const form = new FormData();
  const metadata = { inputs: [], transform: { executor: 'test@v1', params: { name } }, name };
  form.set('metadata', new File([JSON.stringify(metadata)], 'metadata'));
  form.set('data', new File([new Uint8Array(arrowOf(numbers))], 'data'));
  const answer = await fetch(`${server.address}/v1/artifacts`, { method: 'PUT', body: form });
  return String(Object(await answer.json()).artifact_uri);
}

const pathOf = (uri: string): string => uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/');
const outcome = async (server: TestServer, id: string) => {
  const { state, error_code, error_message } = await buildOnce(server, id, isOver);
  return { state, error_code, error_message };
};

describe('an executor', () => {
  it('gets inputs and parameters as they are, and its answer is the result', async () => {
    await using executor = await startExecutor((_order, response) =>
      response.writeHead(200, { 'content-type': arrow, 'x-svc-executor-protocol': 'v1' }).end(arrowOf([1, 2, 3])),
    );
    await using server = await startServer({ env: registryOf({ ref: 'double@*', executor_url: executor.url }) });
    const first = await stored(server, [1], 'first');
    await stored(server, [1, 2], 'second');
    const inputs = [first, 'svc://name/second', first];
    const body = `{"inputs":${JSON.stringify(inputs)},"transform":{"executor":"double@v1","params":{"big":9007199254740993,"one":1.0}},"name":"result"}`;
    const headers = { 'content-type': 'application/json' };
    const { build_id, artifact_uri } = Object((await server.rest.post('/v1/materialize', { body, headers })).json);
    const build = await buildOnce(server, build_id, isOver);
    assert.deepEqual(
      [build.state, build.executor_ref, build.artifact_uri, build.error_message],
      ['ready', 'double@v1', artifact_uri, null],
    );
    const [order] = executor.orders;
    const { provenance_hash, transform_spec } = Object((await server.rest.get(pathOf(artifact_uri))).json);
    assert.deepEqual([order?.protocol, order?.authorization], ['v1', undefined]);
    assert.deepEqual(order?.parts, [
      { name: 'metadata', type: 'application/json', size: order?.metadata.length },
      ...[0, 1, 2].map((index) => ({ name: `input${index}`, type: arrow, size: order?.parts[index + 1]?.size })),
    ]);
    assert.match(order.metadata, /"big":9007199254740993,"one":1\.0/);
    const { params: _params, ...transform } = JSON.parse(order.metadata).transform;
    assert.deepEqual(
      { ...JSON.parse(order.metadata), transform },
      {
        protocol_version: 'v1',
        build_id,
        tenant: null,
        principal: null,
        provenance_hash,
        transform: {
          ref: 'double@v1',
          code_hash: createHash('sha256').update(transform_spec).digest('hex').slice(0, 16),
        },
        inputs: [0, 1, 2].map((index) => ({ name: `input${index}`, format: 'arrow_ipc_stream' })),
      },
    );
    const { rows } = await rowsAt(server, `${pathOf(artifact_uri)}/data`);
    assert.deepEqual(rows, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    assert.equal(Object((await server.rest.get('/v1/names/result')).json).artifact_uri, artifact_uri);
    assert.equal(Object((await server.rest.post('/v1/materialize', { body, headers })).json).hit, true);
    assert.match((await server.rest.get('/metrics/prometheus')).text, /svc_builds_succeeded_total 1\n/);
  });

  it('fails a build in its own words, by a code', async () => {
    await using executor = await startExecutor((order, response) => {
      const { ref } = JSON.parse(order.metadata).transform;
      if (ref === 'message@v1')
        response.writeHead(422).end(JSON.stringify({ error_message: 'no such column', detail: 'x' }));
      if (ref === 'detail@v1') response.writeHead(500).end(JSON.stringify({ detail: 'out of memory' }));
      if (ref === 'long@v1') response.writeHead(500).end('z'.repeat(10_000));
      if (ref === 'version@v1') response.writeHead(200, { 'x-svc-executor-protocol': 'v9' }).end(arrowOf([1]));
      if (ref === 'garbage@v1') response.writeHead(200).end('this is no stream');
      if (ref === 'twice@v1') response.writeHead(200).end(Buffer.concat([arrowOf([1]), arrowOf([1])]));
      if (ref === 'large@v1')
        response.writeHead(200).end(arrowOf(Array.from({ length: 5000 }, (_one, index) => index)));
      if (ref === 'broken@v1')
        response.writeHead(200, { 'content-length': '900' }).write(arrowOf([1]).slice(0, 20), () => response.destroy());
      // `slow@v1` is never answered.
    });
    await using server = await startServer({
      env: registryOf(
        { ref: 'slow@v1', executor_url: executor.url, timeout_seconds: 0.3 },
        { ref: 'large@v1', executor_url: executor.url, max_output_bytes: 1000 },
        { ref: 'input@v1', executor_url: executor.url, max_input_bytes: 10 },
        { ref: 'nobody@v1', executor_url: 'http://127.0.0.1:1' },
        { ref: '*@v1', executor_url: executor.url },
      ),
    });
    const input = await stored(server, [1, 2, 3], 'input');
    const of = async (executor: string, inputs: readonly string[] = []) => {
      const { error_code, error_message } = await outcome(server, await begunBuild(server, executor, { inputs }));
      return [error_code, error_message];
    };
    assert.deepEqual(
      [
        await of('message@v1'),
        await of('detail@v1'),
        await of('long@v1'),
        await of('version@v1'),
        await of('garbage@v1'),
        (await of('twice@v1'))[0],
        await of('large@v1'),
        await of('slow@v1'),
        (await of('broken@v1'))[0],
        await of('nobody@v1'),
        (await of('input@v1', [input]))[0],
      ],
      [
        ['EXECUTOR_HTTP_ERROR', 'no such column'],
        ['EXECUTOR_HTTP_ERROR', 'out of memory'],
        ['EXECUTOR_HTTP_ERROR', 'z'.repeat(500)],
        ['PROTOCOL_ERROR', `${executor.url}/v1/execute speaks v9, not v1.`],
        ['INVALID_ARROW_FORMAT', 'Invalid Arrow IPC format: this is not an Arrow IPC stream'],
        'INVALID_ARROW_FORMAT',
        ['OUTPUT_TOO_LARGE', 'The result is larger than 1000 bytes.'],
        ['TIMEOUT', 'The executor did not finish within 0.3 s.'],
        'REQUEST_FAILED',
        ['REQUEST_FAILED', 'http://127.0.0.1:1/v1/execute could not be reached: connect ECONNREFUSED 127.0.0.1:1'],
        'ValueError',
      ],
    );
    const { failed_versions, building_versions } = Object((await server.rest.get('/v1/artifacts/stats')).json);
    assert.deepEqual([failed_versions, building_versions], [11, 0]);
    const unknown = await orderBuild(server, 'other@v2');
    assert.deepEqual([unknown.status, Object(unknown.json).detail.error], [400, 'transform_unknown']);
    assert.match(Object(unknown.json).detail.message, /\['duckdb_sql@v1', 'slow@v1'/);
  });

  it('is left when a build is cancelled, and so is a query', async () => {
    await using executor = await startExecutor(() => {});
    await using server = await startServer({ env: registryOf({ ref: 'slow@v1', executor_url: executor.url }) });
    const arrived = executor.next();
    const ids = [
      await begunBuild(server, 'slow@v1'),
      await begunBuild(server, 'duckdb_sql@v1', {
        params: { sql: 'select count(*) from range(1000000000000) t(i) where hash(i) = 1' },
      }),
    ];
    await arrived;
    for (const id of ids) {
      await buildOnce(server, id, ({ state }) => state === 'building');
      const cancel = () => server.rest.post(`/v1/artifacts/builds/${id}/cancel`);
      assert.deepEqual(
        [(await cancel()).json, (await cancel()).json],
        [
          { build_id: id, cancelled: true },
          { build_id: id, cancelled: false },
        ],
      );
      assert.deepEqual(await outcome(server, id), {
        state: 'failed',
        error_code: 'CANCELLED',
        error_message: 'The build was cancelled.',
      });
    }
    assert.equal((await server.rest.post('/v1/artifacts/builds/none/cancel')).status, 404);
  });
});

describe('builds and the end of their server', () => {
  it('are taken up again after a crash, and finished once', async () => {
    let isFirst = true;
    await using executor = await startExecutor((_order, response) => {
      if (isFirst) isFirst = false;
      else response.writeHead(200).end(arrowOf([7]));
    });
    const home = newHome();
    const env = registryOf({ ref: 'slow@v1', executor_url: executor.url });
    const arrived = executor.next();
    let id: string;
    {
      await using server = await startServer({ home, env });
      id = await begunBuild(server, 'slow@v1', { name: 'seven' });
      await arrived;
      await server.stop('SIGKILL');
    }
    await using server = await startServer({ home, env });
    assert.equal((await outcome(server, id)).state, 'ready');
    assert.equal(executor.orders.length, 2);
    const { artifact_uri } = Object((await server.rest.get('/v1/names/seven')).json);
    assert.deepEqual((await rowsAt(server, `${pathOf(artifact_uri)}/data`)).rows, [{ n: 7 }]);
  });

  it('fail when the server is stopped, and when they are too old to be finished', async () => {
    await using executor = await startExecutor(() => {});
    const home = newHome();
    const env = registryOf({ ref: 'slow@v1', executor_url: executor.url });
    const arrived = executor.next();
    const ids: string[] = [];
    {
      await using server = await startServer({ home, env });
      ids.push(await begunBuild(server, 'slow@v1', { params: { n: 1 } }));
      await arrived;
      await server.stop('SIGTERM');
    }
    {
      const again = executor.next();
      await using server = await startServer({ home, env });
      ids.push(await begunBuild(server, 'slow@v1', { params: { n: 2 } }));
      await again;
      await server.stop('SIGKILL');
    }
    await using server = await startServer({
      home,
      env: { ...env, SVC_ARTIFACT_ZOMBIE_BUILD_TIMEOUT_SECONDS: '0.001' },
    });
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await outcome(server, id)).error_code)), [
      'SERVER_SHUTDOWN',
      'NEVER_FINISHED',
    ]);
    assert.equal(Object((await server.rest.get('/v1/artifacts/stats')).json).building_versions, 0);
  });
});

describe('builds of a service', () => {
  const alice = asserted({ principal: 'alice', tenant: 't1', scopes: 'artifacts:write' });
  const bob = asserted({ principal: 'bob', tenant: 't2' });
  const service = (home: string, executor: string, more: Environment = {}): Environment => ({
    ...proxyEnvironment,
    SVC_MULTI_TENANT_ENABLED: 'true',
    SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
    ...registryOf(
      { ref: 'slow@v1', executor_url: executor, requires_scope: 'artifacts:write', max_output_bytes: 1000 },
      { ref: '*', executor_url: executor },
    ),
    ...more,
  });

  it('have places, for all and for a tenant, and are seen by who asked', async () => {
    await using executor = await startExecutor(() => {});
    const home = newHome();
    await using server = await startServer({
      home,
      env: service(home, executor.url, {
        SVC_BUILD_QOS_PER_TENANT_INTERACTIVE: '1',
        SVC_BUILD_QOS_PER_TENANT_TIMEOUT: '0.01',
        SVC_BUILD_QOS_BULK_SLOTS: '1',
        SVC_BUILD_QOS_BULK_TIMEOUT: '0.01',
      }),
    });
    const small = (n: number) => orderBuild(server, 'slow@v1', { headers: alice, params: { n } });
    const { build_id } = Object((await small(1)).json);
    const full = await small(2);
    assert.deepEqual(
      [full.status, full.headers['retry-after'], full.json],
      [
        429,
        '1',
        {
          error: 'tenant_at_capacity',
          message: "Tenant 't1' has as many interactive builds as it may have; wait for one to end.",
          tenant_id: 't1',
          limit: 1,
          active: 1,
          retry_after_seconds: 1,
        },
      ],
    );
    await begunBuild(server, 'big@v1', { headers: bob });
    const { queue_wait_ms, ...busy } = Object((await orderBuild(server, 'big@v1', { headers: alice })).json);
    assert.equal(typeof queue_wait_ms, 'number');
    assert.deepEqual(busy, {
      error: 'too_many_requests',
      message: 'All places for bulk builds are taken; try again shortly.',
      tier: 'bulk',
      slots: 1,
      queue_timeout_seconds: 0.01,
      retry_after_seconds: 1,
    });
    const others = await server.rest.get(`/v1/artifacts/builds/${build_id}`, { headers: bob });
    assert.deepEqual([others.status, others.json], [404, { detail: 'Build not found' }]);
    assert.equal((await server.rest.post(`/v1/artifacts/builds/${build_id}/cancel`, { headers: bob })).status, 404);
    const scopeless = await orderBuild(server, 'slow@v1', { headers: bob });
    assert.deepEqual([scopeless.status, Object(scopeless.json).detail.error], [403, 'insufficient_scope']);
    // A cancelled build gives its place back at once.
    await server.rest.post(`/v1/artifacts/builds/${build_id}/cancel`, { headers: alice });
    assert.equal((await small(3)).status, 200);
  });

  it('that are small by what they are made from, artifacts and tables, have places of their own', async () => {
    await using executor = await startExecutor(() => {});
    await using warehouse = await createWarehouse(`
catalog.create_table("db.small", schema=pa.schema([("id", pa.int64())])).append(pa.table({"id": [1]}))`);
    const home = newHome();
    await using server = await startServer({
      home,
      env: service(home, executor.url, {
        SVC_SERVICE_WRITES_ENABLED: 'true',
        SVC_BUILD_QOS_BULK_SLOTS: '1',
        SVC_BUILD_QOS_BULK_TIMEOUT: '0.01',
      }),
    });
    const form = new FormData();
    const made = { inputs: [], transform: { executor: 'test@v1', params: {} }, name: 'small' };
    form.set('metadata', new File([JSON.stringify(made)], 'metadata'));
    form.set('data', new File([new Uint8Array(arrowOf([1, 2, 3]))], 'data'));
    const answer = await fetch(`${server.address}/v1/artifacts`, { method: 'PUT', body: form, headers: alice });
    const { artifact_uri } = Object(await answer.json());
    await begunBuild(server, 'big@v1', { headers: alice });
    assert.equal((await orderBuild(server, 'big@v1', { headers: alice, params: { n: 2 } })).status, 429);
    for (const inputs of [[artifact_uri], [warehouse.uri('small')], [artifact_uri, warehouse.uri('small')]]) {
      const small = await orderBuild(server, 'big@v1', { headers: alice, inputs });
      assert.equal(small.status, 200, `${inputs}: ${small.text}`);
    }
  });

  it('share their places with scans that are built', async () => {
    await using executor = await startExecutor(() => {});
    await using warehouse = await createWarehouse(`
t = catalog.create_table("db.t", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1]}))`);
    const home = newHome();
    const few = {
      SVC_BUILD_QOS_BULK_SLOTS: '1',
      SVC_BUILD_QOS_BULK_TIMEOUT: '0',
      SVC_BUILD_QOS_BULK_BYTES_THRESHOLD: '0',
    };
    await using server = await startServer({ home, env: service(home, executor.url, few) });
    await begunBuild(server, 'big@v1', { headers: bob });
    const refused = await order(server, warehouse.uri('t'), { mode: 'artifact', headers: alice });
    assert.deepEqual([refused.status, Object(refused.json).error], [429, 'too_many_requests']);
    assert.equal((await order(server, warehouse.uri('t'), { headers: alice })).status, 200);
    const { total_versions } = Object((await server.rest.get('/v1/artifacts/stats', { headers: bob })).json);
    assert.equal(total_versions, 1);
  });

  it('are counted against the bytes of a day', async () => {
    await using executor = await startExecutor((_order, response) => response.writeHead(200).end(arrowOf([1, 2, 3])));
    const home = newHome();
    await using server = await startServer({
      home,
      env: service(home, executor.url, { SVC_BUILD_QOS_BYTES_PER_DAY: '100' }),
    });
    const id = await begunBuild(server, 'a@v1', { headers: alice });
    await buildOnce(server, id, isOver, alice);
    const refused = await orderBuild(server, 'b@v1', { headers: alice });
    const { error, tenant_id, used_bytes, limit_bytes, reset_in_seconds, retry_after_seconds } = Object(refused.json);
    assert.deepEqual([refused.status, error, tenant_id, limit_bytes], [429, 'quota_exceeded', 't1', 100]);
    assert.ok(used_bytes > 100 && reset_in_seconds > 0 && retry_after_seconds === Math.ceil(reset_in_seconds));
    assert.equal(refused.headers['retry-after'], String(retry_after_seconds));
    assert.equal((await orderBuild(server, 'b@v1', { headers: bob })).status, 200);
  });

  it('are worked on for tenants in turn, so many of each at a time', async () => {
    const held: (() => void)[] = [];
    await using executor = await startExecutor(
      (_order, response) => void held.push(() => response.writeHead(200).end(arrowOf([1]))),
    );
    const home = newHome();
    await using server = await startServer({
      home,
      env: service(home, executor.url, {
        SVC_BUILD_RUNNER_MAX_PER_TENANT: '1',
        SVC_BUILD_RUNNER_MAX_CONCURRENT: '2',
        SVC_BUILD_QOS_PER_TENANT_BULK: '9',
      }),
    });
    const orders = [executor.next(), executor.next()];
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push(await begunBuild(server, 'a@v1', { headers: alice, params: { n } }));
    const late = await begunBuild(server, 'b@v1', { headers: bob });
    const tenants = (await Promise.all(orders)).map(({ metadata }) => JSON.parse(metadata).tenant);
    assert.deepEqual(tenants, ['t1', 't2']);
    assert.deepEqual(
      await Promise.all([...ids.map((id) => buildNow(server, id, alice)), buildNow(server, late, bob)]).then((all) =>
        all.map(({ state }) => state),
      ),
      ['building', 'pending', 'pending', 'building'],
    );
    const third = executor.next();
    held.shift()?.();
    assert.equal(JSON.parse((await third).metadata).tenant, 't1');
  });
});
