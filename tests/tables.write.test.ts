// Rows of artifacts as tables: made, overwritten, tagged, and never at the cost of a table that others made.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { built, detailOf, ordered, rowsAt, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const python = fileURLToPath(new URL('../python', import.meta.url));

/** `write` as the server asks for it, in a process of its own. */
const writer = `
sys.path.insert(0, "${python}")
from svc_engine.operations import OPERATIONS
import pyarrow.ipc as ipc, threading
def write(rows, mode, on=[], foreign=False, tenant="", table="mine"):
    file = f"{wh}/{uuid.uuid4()}.arrow"
    with ipc.new_stream(file, rows.schema) as writer: writer.write_table(rows)
    return OPERATIONS["table_write"]({"catalog": "svc", "properties": {"type": "sql", "uri": f"sqlite:///{wh}/catalog.db", "warehouse": f"file://{wh}"},
        "namespace": "db", "table": table, "source": file, "mode": mode, "on": on, "foreign": foreign, "tenant": tenant, "summary": {"svc.artifact_id": "x", "svc.tenant": tenant}, "tag": None})`;

describe('writing tables', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  before(async () => {
    [server, warehouse] = await Promise.all([
      startServer(),
      createWarehouse(`
t = catalog.create_table("db.source", schema=pa.schema([("id", pa.int64()), ("s", pa.string())]))
t.append(pa.table({"id": [1, 2], "s": ["a", "b"]}))`),
    ]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  const exported = async (params: object, table: string, alias: string | null = null) => {
    const uri = await built(server, warehouse.uri('source'), { params: { ...params } });
    const [, id, version] = /artifact\/(.+)@v=(\d+)/.exec(uri) ?? [];
    return server.rest.post(`/v1/artifacts/${id}/v/${version}/export`, { json: { table, alias } });
  };

  it('exports a result as a table, then overwrites it with the next', async () => {
    const target = `file://${path.join(warehouse.folder, 'exports')}#out.t`;
    const first = await exported({}, target, 'champion');
    assert.deepEqual([first.status, Object(first.json).table, Object(first.json).created], [200, target, true]);
    assert.match(first.text, /"snapshot_id":\d+/);
    assert.equal((await scan(server, target)).rows.length, 2);
    const second = await exported({ filters: [{ column: 'id', op: '=', value: 2 }] }, target, 'champion');
    assert.equal(Object(second.json).created, false);
    assert.deepEqual((await scan(server, target)).rows, [{ id: 2n, s: 'b' }]);
    const { stream_url } = await ordered(server, target, { params: {} });
    assert.notEqual(stream_url, null);
  });

  it('leaves alone what others made', async () => {
    assert.deepEqual(detailOf(await exported({}, warehouse.uri('source'))), [
      400,
      'db.source was not made by this service and is not overwritten.',
    ]);
    assert.equal((await rowsAt(server, (await ordered(server, warehouse.uri('source'))).stream_url)).rows.length, 2);
  });

  it('appends, merges and widens, also while others write', async () => {
    const answer = await warehouse.python(`
${writer}
write(pa.table({"id": [1, 2], "v": ["a", "b"]}), "append", tenant="t1")
write(pa.table({"id": [2, 3], "v": ["B", "C"]}), "merge", ["id"], tenant="t1")
write(pa.table({"id": [4], "v": ["d"], "extra": [1.5]}), "append", tenant="t1")
problems = []
def one(number):
    try: write(pa.table({"id": [number], "v": ["w"]}), "append", tenant="t1")
    except Exception as problem: problems.append(repr(problem))
threads = [threading.Thread(target=one, args=(100 + number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
refused = []
for attempt in [lambda: write(pa.table({"id": ["x"]}), "append", tenant="t1"), lambda: write(pa.table({"id": [1]}), "merge", ["nope"], tenant="t1"), lambda: write(pa.table({"id": [9]}), "append", tenant="t2")]:
    try: attempt()
    except Exception as problem: refused.append(type(problem).__name__)
rows = sorted(catalog.load_table("db.mine").scan().to_arrow().to_pylist(), key=lambda row: row["id"])
print(json.dumps({"problems": problems, "refused": refused, "ids": [row["id"] for row in rows], "two": rows[1]}))`);
    assert.deepEqual(JSON.parse(answer.split('\n').at(-1) ?? ''), {
      problems: [],
      refused: ['WriteRefused', 'WriteRefused', 'TableNotFound'],
      ids: [1, 2, 3, 4, 100, 101, 102, 103],
      two: { id: 2, v: 'B', extra: null },
    });
  });

  it('follows the partitions of a table, and leaves nothing of rows that it refuses', async () => {
    const answer = await warehouse.python(`
${writer}
from svc_engine.tests.table_deletes import as_version_three
rows = pa.table({"id": [1, 2, 3], "s": ["abc", "abd", "x"], "at": pa.array([datetime.datetime(2020, 1, day) for day in (1, 2, 2)], pa.timestamp("us"))})
schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "s", StringType()), NestedField(3, "at", TimestampType()))
ours = {"svc.created": "true"}
files = {}
for name, (source, transform) in {"id": (1, IdentityTransform()), "bucket": (1, BucketTransform(1)), "start": (2, TruncateTransform(2)), "day": (3, DayTransform()), "year": (3, YearTransform())}.items():
    catalog.create_table(f"db.by_{name}", schema=schema, partition_spec=PartitionSpec(PartitionField(source, 1000, transform, "p")), properties=ours)
    write(rows, "append", table=f"by_{name}")
    files[name] = len(list(catalog.load_table(f"db.by_{name}").scan().plan_files()))
def refused(*args, **named):
    try: write(*args, **named)
    except Exception as problem: return f"{type(problem).__name__}: {problem}"
kept = catalog.create_table("db.kept", schema=schema, properties=ours)
wrong = refused(pa.table({"id": ["x"], "new": [1]}), "append", table="kept")
three = catalog.create_table("db.three", schema=schema, properties=ours)
as_version_three(three)
print(json.dumps({"files": files, "wrong": wrong.split(":")[0], "columns": catalog.load_table("db.kept").schema().column_names, "three": refused(rows, "append", table="three")}))`);
    assert.deepEqual(JSON.parse(answer.split('\n').at(-1) ?? ''), {
      files: { id: 3, bucket: 1, start: 2, day: 2, year: 1 },
      wrong: 'WriteRefused',
      columns: ['id', 's', 'at'],
      three: 'WriteRefused: db.three does not take these rows: Cannot write manifest for table version: 3',
    });
  });
});
