// `duckdb_sql@v1`: queries over artifacts and tables, and everything that a query must not reach.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { built, detailOf, rowsAt } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { untilGiven } from './kit/until.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const tables = `
t = catalog.create_table("db.sales", schema=pa.schema([("k", pa.string()), ("n", pa.int64()), ("p", pa.decimal128(9, 2))]))
t.append(pa.table({"k": ["a", "b", "a"], "n": [1, 2, 3], "p": [decimal.Decimal("1.10"), decimal.Decimal("2.20"), decimal.Decimal("3.30")]}, schema=pa.schema([("k", pa.string()), ("n", pa.int64()), ("p", pa.decimal128(9, 2))])))
`;

describe('a query', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  before(async () => {
    [server, warehouse] = await Promise.all([startServer(), createWarehouse(tables)]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  const ask = (inputs: readonly string[], params: object, more: object = {}) =>
    server.rest.post('/v1/materialize', {
      json: { inputs, transform: { executor: 'duckdb_sql@v1', params }, ...more },
    });

  async function outcome(inputs: readonly string[], params: object) {
    const { build_id, artifact_uri } = Object((await ask(inputs, params)).json);
    const build = await untilGiven(async () => {
      const now = Object((await server.rest.get(`/v1/artifacts/builds/${build_id}`)).json);
      return now.state === 'failed' || now.state === 'ready' ? now : undefined;
    }, 'the build is over');
    if (build.state === 'failed') return { error: build.error_message, code: build.error_code };
    const [, id, version] = /artifact\/(.+)@v=(\d+)/.exec(artifact_uri) ?? [];
    return { rows: (await rowsAt(server, `/v1/artifacts/${id}/v/${version}/data`)).rows };
  }

  it('reads tables and artifacts, and is found again', async () => {
    const sql = 'select k, sum(n) as n, sum(p) as p from input0 group by k order by k';
    const expected = {
      rows: [
        { k: 'a', n: 4n, p: 440n },
        { k: 'b', n: 2n, p: 220n },
      ],
    };
    assert.deepEqual(await outcome([warehouse.uri('sales')], { sql }), expected);
    const again = Object((await ask([warehouse.uri('sales')], { sql })).json);
    assert.deepEqual([again.hit, again.state, again.build_id], [true, 'ready', null]);
    const stored = await built(server, warehouse.uri('sales'), { name: 'sales' });
    for (const input of [stored, 'svc://name/sales'])
      assert.deepEqual(
        await outcome([input, input], { sql: 'select count(*) as n from input0 join input1 using (k)' }),
        {
          rows: [{ n: 5n }],
        },
      );
    assert.deepEqual(await outcome([], { sql: 'select 1 as one' }), { rows: [{ one: 1 }] });
  });

  it('reaches no file, no network, no extension and no setting', async () => {
    const secret = path.join(warehouse.folder, 'secret.csv');
    await writeFile(secret, 'a\n1\n');
    const attempts = [
      `select * from '${secret}'`,
      `select * from read_csv('${secret}')`,
      `select * from read_text('${secret}')`,
      `select * from glob('${warehouse.folder}/*')`,
      `copy (select 1) to '${warehouse.folder}/out.csv'`,
      `attach '${warehouse.folder}/other.db' as other`,
      `export database '${warehouse.folder}/dump'`,
      "select * from read_parquet('http://127.0.0.1:1/x.parquet')",
      "select * from 's3://bucket/x.parquet'",
      'install httpfs',
      'load httpfs',
      'set enable_external_access = true',
      'set lock_configuration = false; select 1',
      'select * from os',
    ];
    for (const sql of attempts) {
      const { error } = await outcome([], { sql });
      assert.match(String(error), /Permission Error|configuration|does not exist/i, sql);
    }
  });

  it('fails in words', async () => {
    assert.deepEqual(await outcome([], {}), {
      error: 'duckdb_sql@v1 needs a query as `sql`.',
      code: 'ValidationError',
    });
    assert.match(String((await outcome([], { sql: 'selec 1' })).error), /syntax error/);
    const refused = async (inputs: readonly string[], params: object = { sql: 'select 1' }) =>
      detailOf(await ask(inputs, params));
    assert.deepEqual(
      [
        await refused(['svc://artifact/none@v=1']),
        await refused(['svc://name/none']),
        await refused(['svc://other/x']),
        await refused(['svc://artifact/x']),
        await refused([warehouse.uri('none')]),
        await refused([], { _a: 1, b: { _c: 2 } }),
      ],
      [
        [404, 'Artifact not found'],
        [404, 'Name not found: none'],
        [400, 'Unknown input URI type: svc://other/x'],
        [400, 'Invalid artifact URI: svc://artifact/x'],
        [404, `Table not found: ${warehouse.uri('none')}`],
        [400, "Transform param keys starting with '_' are reserved: ['_a', '_c']"],
      ],
    );
  });

  it('spills what does not fit into its memory', async () => {
    const sql = 'select count(*) as n from (select distinct i, hash(i) as h from range(12000000) t(i))';
    assert.deepEqual(await outcome([], { sql }), { rows: [{ n: 12_000_000n }] });
  });
});
