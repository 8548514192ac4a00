// Tables in object stores, each spoken to as the real one is: written by an export, scanned, and told of when out of reach.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bucket, type ObjectStore, startObjectStore } from './kit/objectStores.ts';
import { built, order, scan } from './kit/scan.ts';
import { type Environment, startServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

const stores: Readonly<
  Record<'s3' | 'gcs' | 'azure', { scheme: string; settings: (env: ObjectStore['env']) => Environment }>
> = {
  s3: {
    scheme: 's3',
    settings: (env) => ({
      SVC_S3_ENDPOINT_URL: env.AWS_ENDPOINT_URL ?? '',
      SVC_S3_ACCESS_KEY: 'tests',
      SVC_S3_SECRET_KEY: 'tests',
      SVC_S3_REGION: 'us-east-1',
      SVC_S3_CONNECT_TIMEOUT_SECONDS: '1',
    }),
  },
  gcs: {
    scheme: 'gs',
    settings: (env) => ({ SVC_GCS_ENDPOINT_OVERRIDE: env.STORAGE_EMULATOR_HOST ?? '', SVC_GCS_ANONYMOUS: 'true' }),
  },
  azure: {
    scheme: 'abfs',
    settings: (env) => ({ SVC_AZURE_CONNECTION_STRING: env.AZURE_STORAGE_CONNECTION_STRING ?? '' }),
  },
};

for (const [kind, { scheme, settings }] of Object.entries(stores)) {
  describe(`tables in ${kind}`, () => {
    it('are written and read, and told of when out of reach', { timeout: 180_000 }, async (t) => {
      if (kind !== 's3' && kind !== 'gcs' && kind !== 'azure') return;
      const objects = await startObjectStore(t, kind);
      if (!objects) return;
      await using warehouse = await createWarehouse(`
t = catalog.create_table("db.source", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
      await using server = await startServer({ env: { ...settings(objects.env), SVC_PLAN_TIMEOUT_SECONDS: '20' } });
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
