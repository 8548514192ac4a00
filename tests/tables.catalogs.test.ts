// Catalogs that are not a file beside the tables: REST, PostgreSQL, Hive; named ones, and credentials that change while the
// server runs.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startHiveMetastore, startRestCatalog, type TestCatalog } from './kit/catalogs.ts';
import { startPostgres } from './kit/postgres.ts';
import { built, builtFrom, detailOf, order, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

const source = `
t = catalog.create_table("db.source", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`;

async function exportTo(server: TestServer, artifact: string, table: string) {
  const [, id, version] = /artifact\/(.+)@v=(\d+)/.exec(artifact) ?? [];
  return server.rest.post(`/v1/artifacts/${id}/v/${version}/export`, { json: { table } });
}

describe('a catalog', () => {
  it('that speaks REST is written and read, with credentials that may be replaced', async () => {
    await using catalog = await startRestCatalog('first-token');
    await using warehouse = await createWarehouse(source);
    const file = path.join(warehouse.folder, 'token');
    await writeFile(file, 'first-token\n');
    await using server = await startServer({
      env: {
        SVC_CATALOGS: JSON.stringify({ lake: { uri: catalog.address, svc_credential: 'lake' } }),
        SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ lake: { token: `\${file:${file}}` } }),
      },
    });
    const artifact = await built(server, warehouse.uri('source'));
    const exported = await exportTo(server, artifact, 'lake:db.copy');
    assert.equal(exported.status, 200, exported.text);
    const filters = [{ column: 'id', op: '>', value: 1 }];
    assert.deepEqual((await scan(server, 'lake:db.copy', { params: { filters } })).rows, [{ id: 2n }, { id: 3n }]);
    assert.deepEqual(detailOf(await order(server, 'lake:db.none')), [404, 'Table not found: lake:db.none']);
    assert.deepEqual(detailOf(await order(server, 'lake:nowhere.copy')), [404, 'Table not found: lake:nowhere.copy']);

    await writeFile(file, 'another-token');
    assert.deepEqual(detailOf(await order(server, 'lake:db.copy')), [
      422,
      "Catalog 'lake' does not let the server in with the credentials it has.",
    ]);
    const replace = (json: object) => server.rest.send('PUT', '/v1/admin/notebook-credentials', { json });
    const lake = { uri: catalog.address, svc_credential: 'lake' };
    await replace({
      catalogs: { lake, pond: { ...lake, svc_credential: 'pond' } },
      notebook_credentials: { lake: {} },
    });
    assert.deepEqual(detailOf(await order(server, 'pond:db.copy')), [
      400,
      "Catalog 'pond' cannot be used. Credential 'pond' is not defined on this server; ask its operator for it.",
    ]);
    await replace({ catalogs: { lake }, notebook_credentials: { lake: { token: 'first-token' } } });
    assert.deepEqual((await scan(server, 'lake:db.copy', { params: { columns: ['id'] } })).rows.length, 3);
    assert.deepEqual(detailOf(await order(server, 'pond:db.copy')), [404, 'Table not found: pond:db.copy']);

    await catalog.stop();
    const away = await order(server, 'lake:db.copy');
    assert.deepEqual(
      [...detailOf(away), away.headers['retry-after']],
      [503, 'The catalog of lake:db.copy could not be reached; retry shortly.', '5'],
    );
  });

  it('in PostgreSQL serves warehouses and names of its own', async (t) => {
    const postgres = await startPostgres(t);
    if (!postgres) return;
    await using _postgres = postgres;
    await using warehouse = await createWarehouse();
    await using server = await startServer({
      env: {
        SVC_CATALOG_URI: postgres.dsn,
        SVC_CATALOGS: JSON.stringify({
          named: { type: 'sql', uri: postgres.dsn, warehouse: `file://${warehouse.folder}/named` },
        }),
      },
    });
    const seven = { executor: 'duckdb_sql@v1', params: { sql: 'SELECT 7::BIGINT AS id' } };
    const artifact = await builtFrom(server, { inputs: [], transform: seven });
    for (const table of [warehouse.uri('copy'), 'named:db.copy']) {
      assert.deepEqual(detailOf(await order(server, table)), [404, `Table not found: ${table}`]);
      const exported = await exportTo(server, artifact, table);
      assert.equal(exported.status, 200, exported.text);
      assert.deepEqual((await scan(server, table)).rows, [{ id: 7n }]);
    }
  });

  it('of Hive is written and read, and told of when it does not answer', async () => {
    await using metastore = await startHiveMetastore('3');
    await using newer = await startHiveMetastore('4');
    await using warehouse = await createWarehouse(source);
    const at = ({ address, folder }: TestCatalog) => ({ uri: address, warehouse: `file://${folder}` });
    const catalogs = JSON.stringify({ hive: at(metastore), hive4: at(newer) });
    await using server = await startServer({ env: { SVC_CATALOGS: catalogs } });
    const artifact = await built(server, warehouse.uri('source'));
    const filters = [{ column: 'id', op: '>', value: 1 }];
    for (const name of ['hive', 'hive4']) {
      for (const _twice of [1, 2]) {
        const exported = await exportTo(server, artifact, `${name}:db.copy`);
        assert.equal(exported.status, 200, exported.text);
      }
      assert.deepEqual((await scan(server, `${name}:db.copy`, { params: { filters } })).rows, [{ id: 2n }, { id: 3n }]);
      // Access rules know a table by one name: the others that Hive would take for it lead nowhere.
      for (const missing of [`${name}:db.none`, `${name}:nowhere.copy`, `${name}:DB.Copy`])
        assert.deepEqual(detailOf(await order(server, missing)), [404, `Table not found: ${missing}`]);
    }

    assert.equal((await exportTo(server, artifact, 'hive:db.COPY')).status, 404);
    await metastore.stop();
    const away = await order(server, 'hive:db.copy');
    assert.deepEqual(
      [...detailOf(away), away.headers['retry-after']],
      [503, 'The catalog of hive:db.copy could not be reached; retry shortly.', '5'],
    );
  });
});
