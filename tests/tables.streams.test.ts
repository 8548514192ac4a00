// Streams while they are being read: bytes before the end, clients that leave, places, owners, limits and what is forgotten.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { detailOf, order, ordered, rowsAt } from './kit/scan.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { until, untilGiven } from './kit/until.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const tables = `
for name in ["slow", "slower", "open", "closed"]:
    t = catalog.create_table(f"db.{name}", schema=pa.schema([("id", pa.int64())]))
    t.append(pa.table({"id": list(range(10))}))
    t.append(pa.table({"id": list(range(10, 20))}))
for name, rows in [("small", 10), ("large", 2_000_000)]:
    t = catalog.create_table(f"db.{name}", schema=pa.schema([("id", pa.int64())]))
    t.append(pa.table({"id": list(range(rows))}))
`;

/** Puts a pipe that nobody writes to in place of the file that is read last; gives how to put the file back. */
async function stall(warehouse: Warehouse, table: string): Promise<() => Promise<void>> {
  const last = await warehouse.python(
    `print([task.file.file_path for task in catalog.load_table("db.${table}").scan().plan_files()][-1])`,
  );
  const file = last.replace('file://', '');
  await rename(file, `${file}.aside`);
  execFileSync('mkfifo', [file]);
  return async () => {
    await rm(file);
    await rename(`${file}.aside`, file);
  };
}

async function open(server: TestServer, url: string | null): Promise<http.IncomingMessage> {
  const request = http.get(`${server.address}${url}`, { agent: false });
  request.on('error', () => {});
  const [response] = await once(request, 'response');
  return response;
}

describe('a stream', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  before(async () => {
    [server, warehouse] = await Promise.all([
      startServer({ env: { SVC_FETCH_TIMEOUT_SECONDS: '30', SVC_INTERACTIVE_QUEUE_TIMEOUT: '1' } }),
      createWarehouse(tables),
    ]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  it('flows before it is read to the end, stops when its reader leaves, and can be fetched again', async () => {
    const { stream_url, artifact_uri } = await ordered(server, warehouse.uri('slow'));
    const restore = await stall(warehouse, 'slow');
    const response = await open(server, stream_url);
    assert.deepEqual(
      [response.headers['x-arrow-row-count'], response.headers['x-svc-artifact-uri']],
      ['20', artifact_uri],
    );
    let received = 0;
    while (received < 300) received += (await once(response, 'data'))[0].length;
    const gone = async () => Object((await server.rest.get('/metrics')).json).client_disconnects;
    const before = await gone();
    response.destroy();
    await until(async () => (await gone()) !== before, 'the server has noticed that the client went');
    await restore();
    const { rows } = await rowsAt(server, stream_url);
    assert.deepEqual(
      rows.map((row) => Number(Object(row).id)).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  it('waits its turn, and is refused when none comes', async () => {
    const { stream_url } = await ordered(server, warehouse.uri('slower'));
    const restore = await stall(warehouse, 'slower');
    const first = await open(server, stream_url);
    const other = await ordered(server, warehouse.uri('open'));
    const refused = await fetch(`${server.address}${other.stream_url}`);
    assert.deepEqual(
      [refused.status, refused.headers.get('retry-after'), await refused.json()],
      [429, '1', { error: 'per_client_limit', tier: 'bulk' }],
    );
    first.destroy();
    await restore();
    const status = await untilGiven(async () => {
      const answer = await rowsAt(server, other.stream_url);
      return answer.status === 429 ? undefined : answer.status;
    }, 'the other stream has its turn');
    assert.equal(status, 200);
  });

  for (const size of ['small', 'large'])
    it(`has its ${size} result stored, named and found again when it has been read to its end`, async () => {
      const uri = warehouse.uri(size);
      const { stream_url, artifact_uri } = await ordered(server, uri, { name: `of/${size}` });
      await (await fetch(`${server.address}${stream_url}`)).arrayBuffer();
      const place = String(artifact_uri).replace('svc://artifact', '/v1/artifacts').replace('@v=', '/v/');
      const stateOf = async (path: string) => Object((await server.rest.get(path)).json).state;
      const named = await server.rest.get(`/v1/names/of/${size}`);
      assert.deepEqual(
        [await stateOf(place), Object(named.json).artifact_uri, (await server.rest.get(`${place}/data`)).status],
        ['ready', artifact_uri, 200],
      );
      const again = await ordered(server, uri);
      assert.deepEqual([again.hit, again.artifact_uri], [true, artifact_uri]);

      const refreshed = await ordered(server, uri, { refresh: true });
      await (await fetch(`${server.address}${refreshed.stream_url}`)).arrayBuffer();
      assert.deepEqual([await stateOf(place), await stateOf(place.replace('/v/1', '/v/2'))], ['superseded', 'ready']);
    });

  it('is one result for all who ask at once, under each of their names', async () => {
    const params = { filters: [{ column: 'id', op: '>=', value: 1 }] };
    const names = ['own/a', 'own/b', 'own/b'];
    const read = await Promise.all(
      [...names, undefined].map(async (name) => {
        const { stream_url } = await ordered(server, warehouse.uri('small'), { params, ...(name ? { name } : {}) });
        return (await rowsAt(server, stream_url)).uri;
      }),
    );
    const [uri] = read;
    const place = String(uri).replace('svc://artifact', '/v1/artifacts').replace('@v=', '/v/');
    const named = await Promise.all(names.map((name) => server.rest.get(`/v1/names/${name}`)));
    assert.deepEqual(
      [
        read.every((one) => one === uri || one === null),
        Object((await server.rest.get(place)).json).state,
        named.map(({ json }) => Object(json).artifact_uri),
      ],
      [true, 'ready', [uri, uri, uri]],
    );
  });

  it('says how a scan would be found', async () => {
    const explain = async (uri: string) => {
      const json = { inputs: [uri], transform: { executor: 'scan@v1', params: {} } };
      return Object((await server.rest.post('/v1/artifacts/explain-materialize', { json })).json);
    };
    assert.equal((await explain(warehouse.uri('closed'))).would_hit, false);
    const { stream_url, artifact_uri } = await ordered(server, warehouse.uri('closed'));
    await rowsAt(server, stream_url);
    const answer = await explain(warehouse.uri('closed'));
    assert.deepEqual([answer.would_hit, answer.artifact_uri], [true, artifact_uri]);
    const missing = await explain(warehouse.uri('none'));
    assert.deepEqual(missing.resolved_input_versions, {
      [warehouse.uri('none')]: `<error: Table not found: ${warehouse.uri('none')}>`,
    });
  });
});

describe('limits of streams', () => {
  let warehouse: Warehouse;
  before(async () => {
    warehouse = await createWarehouse(tables);
  });
  after(() => warehouse[Symbol.asyncDispose]());

  it('too large an answer, too many row groups and a slow file are refused', async () => {
    await using small = await startServer({ env: { SVC_MAX_RESPONSE_BYTES: '100' } });
    assert.deepEqual((await order(small, warehouse.uri('open'))).status, 413);
    await using few = await startServer({ env: { SVC_MAX_TASKS_PER_SCAN: '1', SVC_FETCH_TIMEOUT_SECONDS: '1' } });
    assert.deepEqual(detailOf(await order(few, warehouse.uri('open'))), [
      400,
      'Query would read 2 row groups, exceeding limit of 1.',
    ]);
    await using slow = await startServer({ env: { SVC_FETCH_TIMEOUT_SECONDS: '1' } });
    const { stream_url } = await ordered(slow, warehouse.uri('slow'), {
      params: { filters: [{ column: 'id', op: '!=', value: 3 }] },
    });
    const restore = await stall(warehouse, 'slow');
    const { status, text } = await rowsAt(slow, stream_url);
    await restore();
    assert.deepEqual([status, text], [504, '{"detail":"A row group could not be read within 1.0s."}']);
  });

  it('one that the machine cannot read names no file of the server', async () => {
    await using server = await startServer();
    const { stream_url } = await ordered(server, warehouse.uri('open'));
    const cache = path.join(server.home, '.svc/cache');
    await rm(cache, { recursive: true, force: true });
    await writeFile(cache, 'no folder');
    const { status, text } = await rowsAt(server, stream_url);
    assert.deepEqual(
      [status, JSON.parse(text)],
      [500, { error: 'scan_build_failed', detail: 'The rows could not be read (ENOTDIR).' }],
    );
  });

  it('what nobody fetches is forgotten, and its artifact failed', async () => {
    await using server = await startServer({ env: { SVC_STREAM_STATE_TTL_SECONDS: '0.2' } });
    const { stream_url, stream_id } = await ordered(server, warehouse.uri('open'));
    const state = await untilGiven(async () => {
      const { state: now } = Object((await server.rest.get(`/v1/artifacts/${stream_id}/v/1`)).json);
      return now === 'building' ? undefined : now;
    }, 'the artifact is built no longer');
    assert.equal(state, 'failed');
    assert.equal((await rowsAt(server, stream_url)).status, 404);
  });

  it('a node that does not hold a stream sends its reader to the one that does', async () => {
    const home = newHome();
    const artifacts = path.join(home, 'artifacts');
    const node = (name: string) =>
      startServer({ env: { SVC_ARTIFACT_DIR: artifacts, SVC_NODE_ADVERTISED_URL: `http://${name}.example` } });
    await using first = await node('first');
    await using second = await node('second');
    const { stream_url } = await ordered(first, warehouse.uri('open'));
    const answer = await fetch(`${second.address}${stream_url}`, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [307, `http://first.example${stream_url}`]);
    assert.equal((await rowsAt(second, '/v1/streams/none')).status, 404);
  });

  it('a large result is at every server when its stream has been read to its end at one', async () => {
    const home = newHome();
    const node = (name: string) =>
      startServer({
        env: { SVC_ARTIFACT_DIR: path.join(home, 'artifacts'), SVC_NODE_ADVERTISED_URL: `http://${name}.example` },
      });
    await using first = await node('first');
    await using second = await node('second');
    const { stream_url, artifact_uri } = await ordered(first, warehouse.uri('large'), { name: 'of/large' });
    await (await fetch(`${first.address}${stream_url}`)).arrayBuffer();
    const [named, again] = await Promise.all([
      second.rest.get('/v1/names/of/large'),
      ordered(second, warehouse.uri('large')),
    ]);
    assert.deepEqual(
      [Object(named.json).artifact_uri, again.hit, again.artifact_uri],
      [artifact_uri, true, artifact_uri],
    );
    await rm(home, { recursive: true, force: true });
  });

  it('only who asked may fetch, and only what they may read', async () => {
    const acl = { default: 'allow', deny: [{ principal: 'bob', tables: ['file:db.closed'] }] };
    const home = newHome();
    await using server = await startProxied({
      SVC_ARTIFACT_DIR: path.join(home, 'artifacts'),
      SVC_ACL_CONFIG: JSON.stringify(acl),
      SVC_SERVICE_WRITES_ENABLED: 'true',
      SVC_TRANSFORMS_CONFIG: JSON.stringify({ enabled: true, registry: [{ ref: 'duckdb_sql@v1' }] }),
    });
    const [alice, bob] = [asserted({ principal: 'alice' }), asserted({ principal: 'bob' })];
    const writer = asserted({ principal: 'bob', scopes: 'artifacts:write' });
    const { stream_url } = await ordered(server, warehouse.uri('closed'), { headers: alice });
    assert.equal((await rowsAt(server, stream_url, bob)).status, 404);
    assert.equal((await rowsAt(server, stream_url, alice)).rows.length, 20);
    const spellings = [
      warehouse.uri('closed'),
      ` ${warehouse.folder}# db . closed `,
      `FILE://${warehouse.folder} #\tdb\n.\u00a0closed`,
      `${warehouse.folder}/.#db.closed`,
      `${warehouse.folder}#DB.Closed`,
      warehouse.uri('none'),
    ];
    for (const uri of spellings) {
      const query = { executor: 'duckdb_sql@v1', params: { sql: 'select * from input0' } };
      const answers = [
        await order(server, uri, { headers: bob }),
        await server.rest.post('/v1/materialize', { json: { inputs: [uri], transform: query }, headers: writer }),
        await server.rest.post('/v1/cache/warm', { json: { tables: [uri] }, headers: bob }),
      ];
      const warmed = Object(answers[2]?.json);
      assert.deepEqual(
        [uri, ...answers.slice(0, 2).map(({ status }) => status), warmed.row_groups_cached ?? 0],
        [uri, 404, 404, 0],
      );
    }
    const named = await order(server, warehouse.uri('open'), { headers: bob, name: 'mine' });
    assert.equal(named.status, 403);
    const warmed = await server.rest.post('/v1/cache/warm', {
      json: { tables: [warehouse.uri('closed')] },
      headers: bob,
    });
    assert.equal(warmed.status, 404);
  });
});
