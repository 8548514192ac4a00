// Scans of tables that pyiceberg wrote, through a real server: what comes, in which order, and what is refused.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { launchPostgres, postgresPrograms } from './kit/postgres.ts';
import { built, detailOf, order, ordered, rowsAt, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const tables = `
plain = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "name": ["a", "b", None], "v": [0.5, 1.5, 2.5]})
catalog.create_table("db.plain", schema=plain.schema).append(plain)
catalog.create_table("db.empty", schema=plain.schema)

grown = catalog.create_table("db.grown", schema=pa.schema([("n", pa.int32()), ("x", pa.float32()), ("old", pa.string())]))
grown.append(pa.table({"n": pa.array([1], pa.int32()), "x": pa.array([0.5], pa.float32()), "old": ["gone"]}))
with grown.update_schema() as update:
    update.update_column("n", LongType())
    update.update_column("x", DoubleType())
    update.rename_column("n", "number")
    update.add_column("later", StringType())
    update.delete_column("old")
grown.append(pa.table({"number": pa.array([2], pa.int64()), "x": [1.5], "later": ["here"]}))

parts = catalog.create_table(
    "db.parts",
    schema=Schema(NestedField(1, "k", StringType()), NestedField(2, "n", LongType())),
    partition_spec=PartitionSpec(PartitionField(1, 1000, IdentityTransform(), "k")),
)
parts.append(pa.table({"k": ["a", "a", "b"], "n": [1, 2, 3]}))

many = catalog.create_table("db.many", schema=pa.schema([("id", pa.int64())]), properties={"write.parquet.row-group-limit": "10"})
many.append(pa.table({"id": list(range(100))}))
`;

describe('a scan', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  before(async () => {
    [server, warehouse] = await Promise.all([startServer(), createWarehouse(tables)]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  it('streams the rows of a table once and finds them stored afterwards', async () => {
    const first = await ordered(server, warehouse.uri('plain'));
    const { stream_id: id } = first;
    assert.deepEqual(first, {
      hit: false,
      artifact_uri: `svc://artifact/${id}@v=1`,
      state: 'building',
      build_spec: null,
      build_id: null,
      stream_id: id,
      stream_url: `/v1/streams/${id}`,
    });
    const expected = [
      { id: 1n, name: 'a', v: 0.5 },
      { id: 2n, name: 'b', v: 1.5 },
      { id: 3n, name: null, v: 2.5 },
    ];
    const streamed = await rowsAt(server, first.stream_url);
    assert.deepEqual(streamed, {
      status: 200,
      rowCount: '3',
      uri: first.artifact_uri,
      rows: expected,
      schema: 'id, name, v',
      text: '',
    });
    await built(server, warehouse.uri('plain'));
    const second = await ordered(server, `${warehouse.folder}#db.plain`);
    assert.deepEqual(second, {
      ...first,
      hit: true,
      state: 'ready',
      stream_id: null,
      stream_url: `/v1/artifacts/${id}/v/1/data`,
    });
    assert.deepEqual((await rowsAt(server, second.stream_url)).rows, expected);
  });

  it('gives the columns that are asked for, in that order, also twice', async () => {
    const { rows, schema } = await scan(server, warehouse.uri('plain'), { params: { columns: ['v', 'id'] } });
    assert.deepEqual([schema, rows[0]], ['v, id', { v: 0.5, id: 1n }]);
    assert.equal((await scan(server, warehouse.uri('plain'), { params: { columns: ['id', 'id'] } })).schema, 'id, id');
  });

  it('gives exactly the rows that match, and says how many', async () => {
    const filters = [{ column: 'v', op: '>', value: 1 }];
    const { rows, rowCount } = await scan(server, warehouse.uri('plain'), { params: { columns: ['id'], filters } });
    assert.deepEqual([rowCount, rows], ['2', [{ id: 2n }, { id: 3n }]]);
  });

  it('skips row groups that cannot match', async () => {
    const before = Object((await server.rest.get('/metrics')).json).row_groups_pruned;
    const filters = [{ column: 'id', op: '>=', value: 95 }];
    await built(server, warehouse.uri('many'), { params: { filters } });
    const { rows } = await scan(server, warehouse.uri('many'), { params: { filters } });
    assert.deepEqual(
      rows,
      [95n, 96n, 97n, 98n, 99n].map((id) => ({ id })),
    );
    assert.equal(Object((await server.rest.get('/metrics')).json).row_groups_pruned - before, 9);
  });

  it('is seen in the memory of Arrow that metrics and health tell of', async () => {
    await scan(server, warehouse.uri('many'), { params: { columns: ['id'] } });
    const told = Object((await server.rest.get('/metrics')).json).arrow_memory;
    assert.match(told.pool_backend, /^(jemalloc|mimalloc|system)$/);
    assert.ok(
      told.max_memory >= 100 * 8,
      `100 numbers were decoded, and the pool held ${told.max_memory} bytes at most`,
    );
    const { checks } = Object((await server.rest.get('/health/dependencies')).json);
    const health = checks.find(({ name }: { name: string }) => name === 'arrow_memory').details;
    assert.deepEqual(health, { ...told, engine: 'ready' });
  });

  it('reads old files under the schema of today', async () => {
    const { rows } = await scan(server, warehouse.uri('grown'));
    assert.deepEqual(
      rows.toSorted((a, b) => Number(Object(a).number - Object(b).number)),
      [
        { number: 1n, x: 0.5, later: null },
        { number: 2n, x: 1.5, later: 'here' },
      ],
    );
  });

  it('reads an earlier snapshot with the schema of its time', async () => {
    const first = await warehouse.python('print(catalog.load_table("db.grown").history()[0].snapshot_id)');
    const body = `{"inputs":["${warehouse.uri('grown')}"],"transform":{"executor":"scan@v1","params":{"snapshot_id":${first}}}}`;
    const answer = await server.rest.post('/v1/materialize', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    const { rows } = await rowsAt(server, Object(answer.json).stream_url);
    assert.deepEqual(rows, [{ n: 1, x: 0.5, old: 'gone' }]);
  });

  it('streams no rows of an empty table, and never takes them for known', async () => {
    for (const params of [{}, { columns: ['v'] }]) {
      const first = await ordered(server, warehouse.uri('empty'), { params });
      const { rows, rowCount, schema } = await rowsAt(server, first.stream_url);
      assert.deepEqual([rows, rowCount, schema], [[], '0', params.columns ? 'v' : 'id, name, v']);
      await rowsAt(server, first.stream_url);
      assert.equal((await ordered(server, warehouse.uri('empty'), { params })).hit, false);
    }
  });

  it('prunes by partition', async () => {
    const { rows } = await scan(server, warehouse.uri('parts'), {
      params: { filters: [{ column: 'k', op: '=', value: 'b' }] },
    });
    assert.deepEqual(rows, [{ k: 'b', n: 3n }]);
  });

  it('builds without a stream, and tells how the build goes', async () => {
    const begun = await ordered(server, warehouse.uri('plain'), { mode: 'artifact', params: { columns: ['name'] } });
    assert.deepEqual(
      [begun.hit, begun.state, begun.stream_id, begun.stream_url, begun.artifact_uri],
      [false, 'pending', null, null, `svc://artifact/${begun.build_id}@v=1`],
    );
    assert.equal((await rowsAt(server, `/v1/streams/${begun.build_id}`)).status, 404);
    const uri = await built(server, warehouse.uri('plain'), { params: { columns: ['name'] } });
    assert.equal(uri, begun.artifact_uri);
    assert.equal((await ordered(server, warehouse.uri('plain'), { params: { columns: ['name'] } })).hit, true);
  });

  it('reads anew when told to, as the next version', async () => {
    const known = await ordered(server, warehouse.uri('plain'), { params: { columns: ['name'] } });
    const again = await ordered(server, warehouse.uri('plain'), { params: { columns: ['name'] }, refresh: true });
    assert.equal(known.hit, true);
    assert.equal(again.artifact_uri, known.artifact_uri?.replace('@v=1', '@v=2'));
    assert.notEqual(again.stream_id, null);
    assert.equal((await rowsAt(server, again.stream_url)).uri, again.artifact_uri);
  });

  it('names its result', async () => {
    const params = { columns: ['v'] };
    const { stream_url } = await ordered(server, warehouse.uri('plain'), { name: 'rows', params });
    const { uri } = await rowsAt(server, stream_url);
    await built(server, warehouse.uri('plain'), { params });
    assert.equal(Object((await server.rest.get('/v1/names/rows')).json).artifact_uri, uri);
  });

  it('shares one reading between those who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => ordered(server, warehouse.uri('many'), {})));
    const results = await Promise.all(answers.map(({ stream_url }) => rowsAt(server, stream_url)));
    assert.deepEqual(new Set(results.map(({ uri }) => uri)).size, 1);
    assert.deepEqual(new Set(results.map(({ rows }) => rows.length)), new Set([100]));
  });

  it('refuses what it cannot do, each in its own words', async () => {
    const refused = async (uri: string, params: object = {}) =>
      detailOf(await order(server, uri, { params: { ...params } }));
    const plain = warehouse.uri('plain');
    assert.deepEqual(
      [
        await refused('plain'),
        await refused('svc://artifact/x@v=1'),
        await refused(`file://${warehouse.folder}/no#db.plain`),
        await refused(warehouse.uri('none')),
        await refused('db.plain'),
        await refused(plain, { snapshot_id: 12 }),
        await refused(plain, { columns: ['nope'] }),
        await refused(plain, { filters: [{ column: 'nope', op: '=', value: 1 }] }),
        await refused(plain, { filters: [{ column: 'id', op: '~', value: 1 }] }),
        await refused(plain, { filters: [{ column: 'id', op: '=', value: 'x' }] }),
      ],
      [
        [400, "Invalid table_id 'plain': expected 'namespace.table' format"],
        [400, 'scan@v1 transform input must be a table URI, not an artifact'],
        [404, `Warehouse not found: ${warehouse.folder}/no`],
        [404, `Table not found: ${warehouse.uri('none')}`],
        [404, 'Table not found: db.plain'],
        [404, 'Snapshot 12 not found in table'],
        [400, "Table svc.db.plain has no column(s) ['nope']. Available columns: ['id', 'name', 'v']."],
        [400, "Filter column 'nope' is not a column of the table. Columns: ['id', 'name', 'v']."],
        [400, 'Invalid scan@v1 params: filters.0.op: Invalid option: expected one of "="|"!="|"<"|"<="|">"|">="'],
        [400, "Filter on 'id' cannot apply: 'x' is no value of type long (str given)"],
      ],
    );
    assert.equal((await rowsAt(server, '/v1/streams/none')).text, '{"detail":"Stream none not found"}');
  });

  it('of places and texts that cannot be is refused, and of an unknown table as often as it is asked for', async () => {
    const plain = warehouse.uri('plain');
    const filtered = (column: string, value: unknown) => ({ params: { filters: [{ column, op: '=', value }] } });
    const answers = await Promise.all([
      order(server, '/nul\0here#db.t'),
      order(server, `/${'x/'.repeat(5000)}#db.t`),
      order(server, `${plain}\ud800`),
      order(server, plain, { params: { columns: ['\ud800'] } }),
      order(server, plain, filtered('name', '\ud800')),
      order(server, plain, filtered('id', 2 ** 70)),
      server.rest.post('/v1/materialize', {
        body: '{"inputs": [NaN]}',
        headers: { 'content-type': 'application/json' },
      }),
      ...Array.from({ length: 20 }, () => order(server, warehouse.uri('never'))),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404, 400, 400, 200, 422, ...Array.from({ length: 20 }, () => 404)],
    );
    assert.equal((await order(server, warehouse.uri('never'))).status, 404);
  });
});

const skip = process.platform !== 'linux' && 'finds the processes of the server in /proc';

it('the most that Arrow held is told though the process is gone and nobody had asked', { skip }, async () => {
  await using warehouse = await createWarehouse(`
large = pa.table({"id": pa.array(range(500_000), pa.int64())})
catalog.create_table("db.large", schema=large.schema).append(large)
catalog.create_table("db.small", schema=large.schema).append(large.slice(0, 1))`);
  await using server = await startServer();
  assert.equal((await scan(server, warehouse.uri('large'))).rows.length, 500_000);
  for (const pid of childrenOf(server.process.pid)) process.kill(pid, 'SIGKILL');
  assert.equal((await scan(server, warehouse.uri('small'))).rows.length, 1);
  const { max_memory } = Object((await server.rest.get('/metrics')).json).arrow_memory;
  assert.ok(max_memory >= 500_000 * 8, `4 MB were decoded, and ${max_memory} bytes are told`);
});

it('a scan whose database dies before it is stored costs that scan, and not the server', async (t) => {
  const programs = postgresPrograms();
  if (programs === undefined) return t.skip('PostgreSQL is not installed');
  await using warehouse = await createWarehouse(`
rows = pa.table({"id": pa.array([1, 2], pa.int64())})
catalog.create_table("db.rows", schema=rows.schema).append(rows)`);
  await using postgres = await launchPostgres(programs);
  await using server = await startServer({ env: { SVC_ARTIFACT_METADATA_DSN: postgres.dsn } });
  const { stream_url } = await ordered(server, warehouse.uri('rows'));
  await postgres.kill();
  const failed = server.printed(/A failed scan was not noted/);
  await rowsAt(server, stream_url).catch(() => undefined);
  await failed;
  await postgres.start();
  const { rows } = await scan(server, warehouse.uri('rows'), { params: { columns: ['id'] } });
  assert.deepEqual(rows, [{ id: 1n }, { id: 2n }]);
});

const childrenOf = (pid: number | undefined): number[] =>
  fs
    .readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
