// SQL cells on other databases and in other places: a real PostgreSQL, mounts as views, named credentials.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { enginePython } from '../scripts/setup/places.js';
import { createTestNotebook } from './kit/notebook.ts';
import { startPostgres } from './kit/postgres.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { addSql, setConnections, shown, snapshotParams } from './kit/sql.ts';

const run = promisify(execFile);
let server: TestServer;
before(async () => {
  server = await startServer({
    env: { SVC_NOTEBOOK_CREDENTIALS: '{"main": {"user": "svc", "password": "not-to-be-seen"}}' },
  });
});
after(() => server[Symbol.asyncDispose]());

const everyType = `SELECT 9007199254740993::int8 AS big, 1.50::numeric(10,2) AS price, 12345678901234567890.5::numeric AS wide,
  true AS yes, 'é'::text AS word, '\\x01ff'::bytea AS raw, date '2024-02-29' AS day, time '12:30:00.5' AS hour,
  timestamp '2024-02-29 01:02:03.000004' AS at, timestamptz '2024-02-29 01:02:03+02' AS moment,
  '{"a": [1]}'::jsonb AS doc, ARRAY[[1,2],[3,4]]::int4[] AS grid, '00000000-0000-0000-0000-000000000001'::uuid AS id,
  NULL::int4 AS nothing, interval '1 day' AS span`;

describe('a PostgreSQL connection', () => {
  it('gives exact types, binds, writes in one transaction, and sees what others change', async (t) => {
    const postgres = await startPostgres(t);
    if (!postgres) return;
    await using _database = postgres;
    const client = new pg.Client({ connectionString: postgres.dsn });
    await client.connect();
    await client.query('CREATE SEQUENCE numbers');
    const notebook = await createTestNotebook(server, 'Postgres');
    await setConnections(notebook, [{ name: 'db', driver: 'postgresql', uri: postgres.dsn }]);
    const types = await addSql(notebook, `# @sql connection=db\n# @name found\n${everyType}`);
    const ran = await notebook.run(types);
    assert.equal(ran.error, null);
    const reader = await notebook.add('str({f.name: (str(f.type), found[f.name][0].as_py()) for f in found.schema})');
    assert.equal(
      (await notebook.run(reader)).display?.preview,
      "{'big': ('int64', 9007199254740993), 'price': ('decimal128(10, 2)', Decimal('1.50')), " +
        "'wide': ('decimal128(21, 1)', Decimal('12345678901234567890.5')), 'yes': ('bool', True), " +
        "'word': ('string', 'é'), 'raw': ('binary', b'\\x01\\xff'), 'day': ('date32[day]', datetime.date(2024, 2, 29)), " +
        "'hour': ('time64[us]', datetime.time(12, 30, 0, 500000)), " +
        "'at': ('timestamp[us]', datetime.datetime(2024, 2, 29, 1, 2, 3, 4)), " +
        "'moment': ('timestamp[us, tz=UTC]', datetime.datetime(2024, 2, 28, 23, 2, 3, tzinfo=zoneinfo.ZoneInfo(key='UTC'))), " +
        "'doc': ('string', '{\"a\": [1]}'), 'grid': ('list<item: list<item: int32>>', [[1, 2], [3, 4]]), " +
        "'id': ('string', '00000000-0000-0000-0000-000000000001'), 'nothing': ('int32', None), " +
        "'span': ('string', '1 day')}",
    );

    await notebook.run(await notebook.add('floor = 1'));
    const setup = `# @sql connection=db write=true\nCREATE TABLE t (n int8, at timestamptz);\nINSERT INTO t SELECT i, now() FROM generate_series(1, 4) i WHERE i > :floor`;
    const write = await addSql(notebook, setup);
    assert.match(shown(await notebook.run(write)), /\| 1 \| CREATE TABLE \| NULL \|\n\| 2 \| INSERT \| 3 \|$/);
    const count = await addSql(
      notebook,
      '# @sql connection=db\nSELECT count(*) AS n FROM t WHERE n > :floor AND n <> :floor',
    );
    const hits = async (): Promise<unknown> => {
      const { cache_hit, display, error } = await notebook.run(count);
      return error ?? [cache_hit, display?.markdown_text];
    };
    const three = '1 rows × 1 cols\n\n| n |\n| --- |\n| 3 |';
    assert.deepEqual(
      [await hits(), await hits()],
      [
        [false, three],
        [true, three],
      ],
    );
    await client.query('DELETE FROM t WHERE n = 2');
    // PostgreSQL counts a session's changes when it ends.
    await client.end();
    assert.deepEqual(await hits(), [false, three.replace('3 |', '2 |')]);

    const refused = await addSql(
      notebook,
      "# @sql connection=db\nSELECT set_config('transaction_read_only', 'off', false)",
    );
    assert.match((await notebook.run(refused)).error ?? '', /transaction read-write mode must be set before/);
    await notebook.edit(refused, '# @sql connection=db\nWITH gone AS (DELETE FROM t RETURNING n) SELECT * FROM gone');
    assert.match((await notebook.run(refused)).error ?? '', /not a read/);
    await notebook.edit(refused, "# @sql connection=db\nSELECT nextval('numbers')");
    assert.match(
      (await notebook.run(refused)).error ?? '',
      /SQL execution failed: cannot execute .* in a read-only transaction/,
    );
  });

  it('lets go of the notebook when it is cancelled while the server does not answer', async (t) => {
    const silent = createServer().listen(0, '127.0.0.1');
    const asked = once(silent, 'connection');
    await once(silent, 'listening');
    t.after(() => silent.close());
    const address = silent.address();
    assert.ok(address !== null && typeof address === 'object');
    const notebook = await createTestNotebook(server, 'Silent');
    await setConnections(notebook, [{ name: 'db', driver: 'postgresql', host: '127.0.0.1', port: address.port }]);
    const cell = await addSql(notebook, '# @sql connection=db\nSELECT 1 FROM t');
    const running = notebook.run(cell);
    const [socket] = await asked;
    t.after(() => socket.destroy());
    notebook.socket.send('cell_cancel', { cell_id: cell });
    assert.match((await running).error ?? '', /^Cancelled/);
    const python = await notebook.add('1 + 1');
    assert.equal((await notebook.run(python)).display?.preview, 2);
  });

  it('takes a named credential, and never says its values', async () => {
    const notebook = await createTestNotebook(server, 'Credential');
    const refused = { name: 'db', driver: 'postgresql', host: '127.0.0.1', port: 1, credential: 'main' };
    await setConnections(notebook, [refused, { ...refused, name: 'other', credential: 'nobody' }]);
    const cell = await addSql(notebook, '# @sql connection=db\nSELECT 1 FROM t');
    const { error } = await notebook.run(cell);
    assert.match(error ?? '', /probe failed: .*refused/s);
    assert.doesNotMatch(error ?? '', /not-to-be-seen/);
    await notebook.edit(cell, '# @sql connection=other\nSELECT 1 FROM t');
    assert.match((await notebook.run(cell)).error ?? '', /Credential 'nobody' is not defined/);
    assert.doesNotMatch(server.output(), /not-to-be-seen/);
  });

  it('follows credentials that an operator replaces', async () => {
    const notebook = await createTestNotebook(server, 'Replaced');
    await setConnections(notebook, [{ name: 'db', driver: 'sqlite', path: 'new.db', credential: 'later' }]);
    const cell = await addSql(notebook, '# @sql connection=db write=true\nCREATE TABLE t (n)');
    assert.match((await notebook.run(cell)).error ?? '', /Credential 'later' is not defined/);
    const before = (await server.rest.get('/v1/admin/notebook-credentials')).json;
    const put = async (json: object): Promise<unknown> =>
      (await server.rest.send('PUT', '/v1/admin/notebook-credentials', { json })).status;
    assert.equal(await put({ notebook_credential_paths: { later: ['not/absolute'] } }), 400);
    assert.deepEqual((await server.rest.get('/v1/admin/notebook-credentials')).json, before);
    assert.equal(await put({ notebook_credentials: { later: { user: 'u' } }, notebook_credential_writers: {} }), 200);
    assert.match((await notebook.run(cell)).error ?? '', /Credential 'later' may only be used for reading/);
    assert.equal(
      await put({
        notebook_credentials: { later: { user: 'u' } },
        notebook_credential_paths: { later: ['/elsewhere'] },
      }),
      200,
    );
    assert.match(
      (await notebook.run(cell)).error ?? '',
      /Credential 'later' may not be used by notebooks in this folder/,
    );
    assert.equal(await put({ notebook_credentials: { later: { user: 'u' } } }), 200);
    assert.equal((await notebook.run(cell)).error, null);
    assert.deepEqual((await server.rest.get('/v1/admin/notebook-credentials')).json, {
      notebook_credentials: { later: { user: '<redacted>' } },
      notebook_mount_credentials: {},
      notebook_credential_paths: {},
      notebook_credential_writers: null,
      catalogs: {},
    });
  });
});

describe('a DuckDB connection', () => {
  it('shows mounts as views, and reads again when their files change', async () => {
    const notebook = await createTestNotebook(server, 'Mounts');
    const folder = path.join(notebook.path, 'data');
    await fs.mkdir(folder);
    await fs.writeFile(path.join(folder, 'a.csv'), 'n,who\n1,x\n2,y\n');
    const mounts = [{ name: 'raw', uri: `file://${folder}` }];
    assert.equal((await notebook.request('PUT', '/mounts', { mounts })).status, 200);
    await setConnections(notebook, [{ name: 'lake', driver: 'duckdb', path: ':memory:', mounts: ['raw'] }]);
    const cell = await addSql(notebook, '# @sql connection=lake\nSELECT sum(n)::BIGINT AS n FROM raw');
    assert.match(shown(await notebook.run(cell)), /\| 3 \|$/);
    assert.equal((await notebook.run(cell)).cache_hit, true);
    await fs.writeFile(path.join(folder, 'b.csv'), 'n,who\n10,z\n');
    assert.match(shown(await notebook.run(cell)), /\| 13 \|$/);
    await notebook.edit(cell, '# @sql connection=lake write=true\nCREATE TABLE t (n INT)');
    assert.match((await notebook.run(cell)).error ?? '', /cannot be opened for writing/);
  });

  it('reads tables of a catalog at their snapshot, and again when there is another', async () => {
    const notebook = await createTestNotebook(server, 'Lake');
    const folder = path.join(notebook.path, 'lake');
    await fs.mkdir(folder);
    const properties = { type: 'sql', uri: `sqlite:///${folder}/catalog.db`, warehouse: `file://${folder}` };
    const inLake = (code: string): Promise<unknown> =>
      run(enginePython, [
        '-c',
        `import pyarrow as pa\nfrom pyiceberg.catalog import load_catalog\ncatalog = load_catalog("lake", **${JSON.stringify(properties)})\n${code}`,
      ]);
    await inLake(
      'catalog.create_namespace("nyc"); catalog.create_table("nyc.trips", schema=pa.schema([("n", pa.int64())])).append(pa.table({"n": [1, 2]}))',
    );
    const put = await server.rest.send('PUT', '/v1/admin/notebook-credentials', {
      json: { catalogs: { lake: properties } },
    });
    assert.equal(put.status, 200, put.text);
    await setConnections(notebook, [{ name: 'lake', driver: 'duckdb', path: ':memory:', catalog: 'lake' }]);
    const cell = await addSql(
      notebook,
      '# @sql connection=lake\nSELECT sum(a.n)::BIGINT AS n FROM lake.nyc.trips a JOIN LAKE.NYC.Trips b USING (n)',
    );
    assert.match(shown(await notebook.run(cell)), /\| 3 \|$/);
    assert.equal((await notebook.run(cell)).cache_hit, true);
    await inLake('catalog.load_table("nyc.trips").append(pa.table({"n": [10]}))');
    assert.match(shown(await notebook.run(cell)), /\| 13 \|$/);
    const { tables } = Object((await notebook.request('GET', '/connections/lake/schema')).json);
    assert.deepEqual(tables, [
      { catalog: 'lake', schema: 'nyc', name: 'trips', columns: [{ name: 'n', type: 'long', nullable: true }] },
    ]);
    await notebook.edit(cell, '# @sql connection=lake\n# @cache snapshot\nSELECT count(*) AS n FROM lake.nyc.trips');
    const { stdout } = await notebook.run(cell);
    const at = /^Snapshot of (\S+);/.exec(stdout)?.[1];
    const { sql_snapshot_ids: ids, ...params } = snapshotParams(notebook, cell);
    assert.deepEqual(params, { sql_snapshot_basis: 'iceberg', sql_snapshot_at: at });
    assert.match(String(ids), /^\{"lake:nyc\.trips":"\d+"\}$/);
    await inLake('catalog.load_table("nyc.trips").append(pa.table({"n": [11]}))');
    assert.match(shown(await notebook.run(cell)), /\| 3 \|$/);
    assert.match(shown(await notebook.run(cell, 'rerun')), /\| 4 \|$/);
    const floor = await notebook.add('floor = 0');
    await notebook.request('PUT', '/cells/reorder', { cell_ids: [floor, cell] });
    await notebook.edit(
      cell,
      '# @sql connection=lake\n# @cache snapshot\nSELECT count(*) AS n FROM lake.nyc.trips WHERE n > :floor',
    );
    assert.match(shown(await notebook.run(cell)), /\| 4 \|$/);
    await inLake('catalog.load_table("nyc.trips").append(pa.table({"n": [12]}))');
    await notebook.edit(floor, 'floor = 1');
    assert.match(shown(await notebook.run(cell)), /\| 3 \|$/, 'other values, the same moment');
    await notebook.edit(cell, '# @sql connection=lake\nSELECT * FROM lake.nyc.none');
    assert.match((await notebook.run(cell)).error ?? '', /catalog lake has no table nyc.none/);
  });

  it('keeps types and a file between cells', async () => {
    const notebook = await createTestNotebook(server, 'Duck');
    await setConnections(notebook, [{ name: 'duck', driver: 'duckdb', path: 'duck.db' }]);
    const write = await addSql(
      notebook,
      "# @sql connection=duck write=true\nCREATE TABLE t AS SELECT 9007199254740993 AS big, 1.25::DECIMAL(9,2) AS price, {'a': [1, 2]} AS nested;\nINSERT INTO t SELECT * FROM t",
    );
    assert.match(shown(await notebook.run(write)), /\| 1 \| CREATE TABLE \| NULL \|\n\| 2 \| INSERT \| 1 \|$/);
    const read = await addSql(notebook, '# @sql connection=duck\n# @name rows\nSELECT * FROM t');
    assert.equal((await notebook.run(read)).error, null);
    const reader = await notebook.add('str((rows.schema.types, rows.to_pylist()[0]))');
    assert.equal(
      (await notebook.run(reader)).display?.preview,
      "([DataType(int64), Decimal128Type(decimal128(9, 2)), StructType(struct<a: list<l: int32>>)], {'big': 9007199254740993, 'price': Decimal('1.25'), 'nested': {'a': [1, 2]}})",
    );
    await notebook.edit(read, "# @sql connection=duck\nSELECT 1 AS a, TIMESTAMPTZ '2024-01-01 00:00:00+02' AS a");
    assert.match(shown(await notebook.run(read)), /\| a \| a \|\n.*\n\| 1 \| 2023-12-31 22:00:00\+00:00 \|$/);
    await notebook.edit(read, '# @sql connection=duck\nINSTALL httpfs');
    assert.match((await notebook.run(read)).error ?? '', /INSTALL is not a read/);
  });
});
