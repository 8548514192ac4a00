// Row groups with many columns are decoded some columns at a time: what comes out is what a reader of all columns gives.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { enginePython } from '../scripts/setup/places.js';

const program = `
import json, os, sys
import pyarrow as pa, pyarrow.parquet as parquet
from svc_engine.tables import slices

slices.PAGE_BYTES = 64 * 1024
rows = 5000
def column(index):
    if index % 4 == 0: return pa.array([None if row % 7 == 0 else f"{index}-{row}" * 9 for row in range(rows)])
    if index % 4 == 1: return pa.array([{"a": row, "b": [index] * (row % 3)} for row in range(rows)])
    return pa.array(range(index, index + rows))
table = pa.table({f"c{index}": column(index) for index in range(24)})
folder = sys.argv[1]
parquet.write_table(table, f"{folder}/wide.parquet", row_group_size=3000)
reader = parquet.ParquetFile(f"{folder}/wide.parquet")
names = [f"c{index}" for index in range(24) if index != 5]
given = [batch for group in (0, 1) for batch in slices.batches_of(reader, group, names, 700, folder)]
print(json.dumps({
    "slices": len(slices.slices_of(reader.metadata.row_group(0), names)) > 3,
    "same": pa.Table.from_batches(given).equals(table.select(names)),
    "rows": [batch.num_rows for batch in given],
    "left": os.listdir(folder),
}))
`;

it('a wide row group comes out as it was, in batches of the size that was asked for, and leaves no file behind', async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-slices-'));
  const env = { ...process.env, PYTHONPATH: fileURLToPath(new URL('../python', import.meta.url)) };
  const { stdout } = await promisify(execFile)(enginePython, ['-c', program, folder], { env });
  assert.deepEqual(JSON.parse(stdout), {
    slices: true,
    same: true,
    rows: [700, 700, 700, 700, 200, 700, 700, 600],
    left: ['wide.parquet'],
  });
  await fs.rm(folder, { recursive: true });
});
