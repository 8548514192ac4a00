// Cells and Iceberg tables: written after a run, read by snapshot, and scanned through the ambient client.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
let notebook: TestNotebook;
let table: string;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Tables');
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-warehouse-'));
  table = `file://${folder}#lab.results`;
});
after(() => server[Symbol.asyncDispose]());

describe('a table', () => {
  it('is written once for each new result, and its snapshot decides what readers find', async () => {
    const writer = await notebook.add(
      `# @write_table rows ${table} append\nimport pyarrow as pa\nrows = pa.table({"n": [1, 2]})`,
    );
    const first = await notebook.run(writer);
    assert.equal(first.status, 'ready', String(first.error));
    assert.equal((await notebook.run(writer)).cache_hit, true);
    const reader = await notebook.add(
      `# @table results ${table}\nscanned = svc.materialize([results], {"ref": "scan@v1", "params": {"snapshot_id": results_snapshot}})\n[type(results_snapshot).__name__, scanned.to_arrow()["n"].to_pylist()]`,
    );
    const read = await notebook.run(reader);
    assert.deepEqual(read.display?.preview, ['int', [1, 2]], String(read.error));
    assert.equal((await notebook.run(reader)).cache_hit, true);
    await notebook.edit(
      writer,
      `# @write_table rows ${table} append\nimport pyarrow as pa\nrows = pa.table({"n": [3]})`,
    );
    await notebook.run(writer);
    const again = await notebook.run(reader);
    assert.deepEqual(Object(again.display?.preview)[1].toSorted(), [1, 2, 3]);
  });

  it('is not written with what is no table, and the cell fails with the reason', async () => {
    const writer = await notebook.add(`# @write_table n ${table} append\nn = 3`);
    const { error } = await notebook.run(writer);
    assert.match(error ?? '', /@write_table n .* \(append\) failed: 'n' is json\/object, not a table/);
  });

  it('that is not there fails the cell that reads it', async () => {
    const reader = await notebook.add('# @table gone file:///nowhere/at/all#a.b\ngone');
    assert.match((await notebook.run(reader)).error ?? '', /@table gone: could not resolve a snapshot/);
  });
});
