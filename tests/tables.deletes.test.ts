// Deleted rows stay away, whichever way the table deleted them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { order, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const python = fileURLToPath(new URL('../python', import.meta.url));

const tables = `
sys.path.insert(0, "${python}")
from svc_engine.tests.table_deletes import *
rows = pa.table({"id": pa.array(range(10), pa.int64()), "k": ["a", "b", None, "a", "b", None, "a", "b", None, "a"]})
limits = {"write.parquet.row-group-limit": "4"}

t = catalog.create_table("db.positions", schema=rows.schema, properties=limits)
t.append(rows)
path = next(iter(t.scan().plan_files())).file.file_path
delete_positions(catalog, t, [(path, 1), (path, 3), (path, 9)])

t = catalog.create_table("db.vectors", schema=rows.schema, properties=limits)
t.append(rows)
t.append(rows)
first, second = [task.file.file_path for task in t.scan().plan_files()]
delete_by_vector(catalog, t, first, [0, 5, 9])
delete_by_vector(catalog, t, second, [1])
as_version_three(t)

t = catalog.create_table("db.equal", schema=rows.schema, properties=limits)
t.append(rows)
delete_equal(catalog, t, ["k"], pa.table({"k": pa.array([None, "b"], pa.string())}))
t.append(pa.table({"id": pa.array([100], pa.int64()), "k": ["b"]}))

t = catalog.create_table("db.pairs", schema=rows.schema, properties=limits)
t.append(rows)
delete_equal(catalog, t, ["id", "k"], pa.table({"id": pa.array([0, 1, 2, 3], pa.int64()), "k": pa.array(["a", "x", None, "b"])}))

t = catalog.create_table("db.dropped", schema=rows.schema)
t.append(rows)
delete_equal(catalog, t, ["k"], pa.table({"k": ["a"]}))
with t.update_schema() as update:
    update.delete_column("k")
`;

describe('deleted rows', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  before(async () => {
    [server, warehouse] = await Promise.all([
      startServer({ env: { SVC_MAX_EQUALITY_DELETE_ROWS: '4' } }),
      createWarehouse(tables),
    ]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  const ids = async (table: string, params = {}): Promise<[string | null, number[]]> => {
    const { rowCount, rows } = await scan(server, warehouse.uri(table), { params: { columns: ['id'], ...params } });
    return [rowCount, rows.map((row) => Number(Object(row).id)).sort((a, b) => a - b)];
  };

  it('by position', async () => {
    assert.deepEqual(await ids('positions'), ['7', [0, 2, 4, 5, 6, 7, 8]]);
    assert.deepEqual(await ids('positions', { filters: [{ column: 'id', op: '<', value: 4 }] }), ['2', [0, 2]]);
  });

  it('by a deletion vector, in a table of version 3', async () => {
    assert.deepEqual(await ids('vectors'), ['16', [0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8, 9]]);
  });

  it('by equal values, null included, but not those that came later', async () => {
    assert.deepEqual(await ids('equal'), ['5', [0, 3, 6, 9, 100]]);
  });

  it('by several columns together', async () => {
    assert.deepEqual(await ids('pairs'), ['8', [1, 3, 4, 5, 6, 7, 8, 9]]);
  });

  it('by a column that the table has dropped since', async () => {
    assert.deepEqual(await ids('dropped'), ['6', [1, 2, 4, 5, 7, 8]]);
  });

  it('too many at once are refused', async () => {
    await warehouse.python(`
sys.path.insert(0, "${python}")
from svc_engine.tests.table_deletes import *
t = catalog.load_table("db.pairs")
delete_equal(catalog, t, ["id"], pa.table({"id": pa.array([50, 51], pa.int64())}))`);
    const { status, json } = await order(server, warehouse.uri('pairs'));
    assert.equal(status, 422);
    assert.match(
      String(Object(json).detail),
      /^6 equality-delete rows apply to one row group, more than the limit of 4/,
    );
  });
});
