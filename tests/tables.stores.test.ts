// Tables in object stores, each spoken to as the real one is: written by an export, scanned, and told of when out of reach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bucket, startObjectStore, storeKinds } from './kit/objectStores.ts';
import { built, order, scan } from './kit/scan.ts';
import { startServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

const schemes = { s3: 's3', gcs: 'gs', azure: 'abfs' } as const;

for (const kind of storeKinds) {
  const scheme = schemes[kind];
  describe(`tables in ${kind}`, () => {
    it('are written and read, and told of when out of reach', async (t) => {
      if (kind !== 's3' && kind !== 'gcs' && kind !== 'azure') return;
      const objects = await startObjectStore(t, kind);
      if (!objects) return;
      await using warehouse = await createWarehouse(`
t = catalog.create_table("db.source", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
      await using server = await startServer({ env: { ...objects.settings, SVC_PLAN_TIMEOUT_SECONDS: '20' } });
      const uri = await built(server, warehouse.uri('source'));
      const [, id, version] = /artifact\/(.+)@v=(\d+)/.exec(uri) ?? [];
      const [table, unread] = [`${scheme}://${bucket}/wh#db.copy`, `${scheme}://${bucket}/wh#db.unread`];
      for (const target of [table, unread]) {
        const exported = await server.rest.post(`/v1/artifacts/${id}/v/${version}/export`, { json: { table: target } });
        assert.equal(exported.status, 200, exported.text);
      }
      const filters = [{ column: 'id', op: '>', value: 1 }];
      assert.deepEqual((await scan(server, table, { params: { filters } })).rows, [{ id: 2n }, { id: 3n }]);
      assert.equal((await order(server, `${scheme}://${bucket}/wh#db.none`)).status, 404);
      await objects.stop();
      const away = await order(server, unread);
      assert.deepEqual(
        [away.status, away.headers['retry-after'], Object(away.json).detail],
        [503, '5', `The object store holding ${unread} could not be reached; retry shortly.`],
      );
    });
  });
}
