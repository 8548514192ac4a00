// The first page of a sorted table is found without sorting all of it: it has to be the one that a whole sort gives. Values are
// random; SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { enginePython } from '../scripts/setup/places.js';
import { browseTable, createEngine, wholeTable } from '../src/engine/index.ts';
import { engineProgram } from '../src/places.ts';
import { createRandom } from './kit/random.ts';

const start = () =>
  createEngine({ name: 'data', command: enginePython, args: ['-I', engineProgram, 'data'], log() {} });
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-orders-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const maker = `
import decimal, random, sys
import pyarrow as pa
random.seed(int(sys.argv[1]))
rows = 5000
def column(make, kind, nulls=0.1):
    return pa.array([None if random.random() < nulls else make() for _ in range(rows)], kind)
table = pa.table({
    "k": pa.array(range(rows)),
    "few": column(lambda: random.randrange(5), pa.int8()),
    "many": column(lambda: random.randrange(10**9), pa.int64()),
    "float": column(lambda: random.choice([random.random(), float("nan"), 0.0, -0.0]), pa.float64()),
    "ends": column(lambda: random.choice([random.random(), float("inf"), float("-inf")]), pa.float32()),
    "text": column(lambda: "".join(random.choices("abB é", k=random.randrange(4))), pa.string()),
    "kind": column(lambda: random.choice("xyz"), pa.string()).dictionary_encode(),
    "flag": column(lambda: random.random() < 0.5, pa.bool_()),
    "exact": column(lambda: decimal.Decimal(random.randrange(1000)) / 100, pa.decimal128(9, 2)),
    "at": column(lambda: random.randrange(10**6), pa.timestamp("us", "Europe/Berlin")),
    "length": column(lambda: random.randrange(1000), pa.duration("ns")),
    "bytes": column(lambda: bytes([random.randrange(256)]), pa.binary()),
    "nothing": pa.nulls(rows),
    "rare": column(lambda: random.randrange(9), pa.int32(), nulls=0.99),
})
with pa.OSFile(sys.argv[2], "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
    writer.write_table(table, max_chunksize=random.choice([700, 5000]))
`;

test('the first page of an order is that of the whole order, equal rows as they lie', async (t) => {
  const { seed } = createRandom((line) => t.diagnostic(line));
  const file = path.join(folder, 'table.arrow');
  await promisify(execFile)(enginePython, ['-c', maker, String(seed), file]);
  const [soon, whole] = [start(), start()];
  try {
    const { columns } = await browseTable(soon, wholeTable(file), 0, 1);
    for (const sortBy of columns)
      for (const sortDir of ['asc', 'desc'] as const)
        for (const filters of [[], [{ col: 'few', op: 'ge', value: 2 }]]) {
          const view = { ...wholeTable(file), sortBy, sortDir, filters };
          const first = await browseTable(soon, view, 0, 100, true);
          await browseTable(whole, view, 100, 1); // who goes on has all of it sorted
          assert.deepEqual(
            first,
            await browseTable(whole, view, 0, 100, true),
            `${sortBy} ${sortDir} ${filters.length}`,
          );
        }
  } finally {
    await Promise.all([soon.close(), whole.close()]);
  }
});

test('a file that was replaced is looked at anew', async () => {
  const file = path.join(folder, 'replaced.arrow');
  const engine = start();
  const write = (numbers: string) =>
    promisify(execFile)(enginePython, [
      '-c',
      `import pyarrow as pa, sys
with pa.OSFile(sys.argv[1], "wb") as file, pa.ipc.new_stream(file, pa.schema([("n", pa.int64())])) as writer:
    writer.write_table(pa.table({"n": pa.array(${numbers}, pa.int64())}))`,
      file,
    ]);
  try {
    const view = { ...wholeTable(file), sortBy: 'n', search: '1' };
    await write('[31, 12, 5]');
    assert.deepEqual((await browseTable(engine, view, 0, 9)).rows, [[12], [31]]);
    await write('[6, 1, 10, 7]');
    assert.deepEqual((await browseTable(engine, view, 0, 9)).rows, [[1], [10]]);
  } finally {
    await engine.close();
  }
});
