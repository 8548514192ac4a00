// The cache of row groups through a real server: what it keeps, what it says, how it heals and how it makes room.
import assert from 'node:assert/strict';
import { open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  cacheEvictionsBody,
  cacheHistogramBody,
  cacheInspectBody,
  cacheStatsBody,
  metadataStatsBody,
  warmJobBody,
} from '../src/protocol/index.ts';
import { built, detailOf, ordered, rowsAt } from './kit/scan.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, startProxied } from './kit/service.ts';
import { untilGiven } from './kit/until.ts';
import { createWarehouse, type Warehouse } from './kit/warehouse.ts';

const tables = `
for name in ["one", "two"]:
    t = catalog.create_table(f"db.{name}", schema=pa.schema([("id", pa.int64()), ("s", pa.string())]), properties={"write.parquet.row-group-limit": "10"})
    t.append(pa.table({"id": list(range(40)), "s": [str(i) for i in range(40)]}))
`;

describe('the cache of row groups', () => {
  let server: TestServer;
  let warehouse: Warehouse;
  const home = newHome();
  before(async () => {
    [server, warehouse] = await Promise.all([startServer({ home }), createWarehouse(tables)]);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await warehouse[Symbol.asyncDispose]();
  });

  const read = async (table: string, params = {}): Promise<number> => {
    const { stream_url } = await ordered(server, warehouse.uri(table), { params, refresh: true });
    return (await rowsAt(server, stream_url)).rows.length;
  };
  const lifetime = async () => (await server.rest.read(cacheHistogramBody, '/v1/cache/histogram')).lifetime;

  it('reads each row group once, and tells', async () => {
    assert.equal(await read('one'), 40);
    const first = await lifetime();
    assert.deepEqual([first.hits, first.misses, first.bytes_from_storage > 0], [0, 4, true]);
    assert.equal(await read('one'), 40);
    const second = await lifetime();
    assert.deepEqual([second.hits, second.misses, second.hit_rate], [4, 4, 0.5]);
    const stats = await server.rest.read(cacheStatsBody, '/v1/cache/stats');
    assert.deepEqual([stats.total_entries, stats.entries_by_table], [4, { 'svc.db.one': 4 }]);
    const { windows, top_tables } = await server.rest.read(cacheHistogramBody, '/v1/cache/histogram');
    assert.deepEqual(
      windows.map(({ window_seconds, total }) => [window_seconds, total]),
      [
        [60, 8],
        [300, 8],
        [3600, 8],
      ],
    );
    assert.deepEqual(top_tables, [{ table_id: 'svc.db.one', hits: 4, misses: 4, total: 8, hit_rate: 0.5 }]);
  });

  const inspect = (query = '') => server.rest.read(cacheInspectBody, `/v1/debug/cache/inspect${query}`);

  it('shows its entries with their files', async () => {
    const { entries, total_matched, truncated } = await inspect('?limit=2&table_id=svc.db.one');
    assert.deepEqual([entries.length, total_matched, truncated], [2, 4, true]);
    for (const entry of entries) {
      const { size } = await stat(path.join(home, '.svc/cache', entry.file_path));
      assert.deepEqual([entry.file_exists, entry.file_size_bytes, entry.metadata.num_rows], [true, size, 10]);
    }
    assert.equal((await inspect('?table_id=svc.db.none')).total_matched, 0);
  });

  it('drops what was damaged and reads it anew', async () => {
    const [entry] = (await inspect()).entries;
    await truncate(path.join(home, '.svc/cache', entry?.file_path ?? ''), 100);
    const before = await lifetime();
    assert.equal(await read('one'), 40);
    const after = await lifetime();
    assert.deepEqual([after.hits - before.hits, after.misses - before.misses], [3, 1]);
  });

  it('survives a restart, and notices bytes that changed meanwhile', async () => {
    const { entries } = await inspect();
    await server.stop();
    const file = path.join(home, '.svc/cache', entries[0]?.file_path ?? '');
    const bytes = await readFile(file);
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
    await writeFile(file, bytes);
    const stray = await open(`${file}.part`, 'w');
    await stray.close();
    server = await startServer({ home });
    assert.equal(await read('one'), 40);
    const { hits, misses } = await lifetime();
    assert.deepEqual([hits, misses], [3, 1]);
    await assert.rejects(stat(`${file}.part`));
  });

  it('is not warmed from an object store that a service has no catalog for', async () => {
    await using service = await startProxied();
    const headers = asserted({ principal: 'ann', scopes: 'admin:*' });
    const json = { tables: ['s3://bucket/warehouse#db.one'] };
    for (const place of ['/v1/cache/warm', '/v1/cache/warm/async'])
      assert.deepEqual(detailOf(await service.rest.post(place, { json, headers })), [
        400,
        'A table in an object-store warehouse needs a catalog database: set SVC_CATALOG_URI on the server.',
      ]);
  });

  it('is warmed, waiting or as a job', async () => {
    const warmed = await server.rest.post('/v1/cache/warm', {
      json: { tables: [warehouse.uri('two'), warehouse.uri('none')], columns: ['id'], max_row_groups: 3 },
    });
    const { elapsed_ms: _ms, bytes_written: _bytes, ...facts } = Object(warmed.json);
    assert.deepEqual(facts, {
      tables_warmed: 1,
      row_groups_cached: 3,
      row_groups_skipped: 0,
      errors: [`${warehouse.uri('none')}: Table not found: ${warehouse.uri('none')}`],
    });
    assert.equal((await server.rest.post('/v1/cache/warm', { json: { tables: ['nothing'] } })).status, 400);
    const started = await server.rest.post('/v1/cache/warm/async', {
      json: { tables: [warehouse.uri('two')], columns: ['id'] },
    });
    const { job_id: id } = Object(started.json);
    const job = await untilGiven(async () => {
      const now = await server.rest.read(warmJobBody, `/v1/cache/warm/jobs/${id}`);
      return now.completed_at === null ? undefined : now;
    }, 'the job has ended');
    assert.deepEqual(
      [job.status, job.row_groups_total, job.row_groups_completed, job.row_groups_cached, job.row_groups_skipped],
      ['completed', 4, 4, 1, 3],
    );
    assert.deepEqual(detailOf(await server.rest.send('DELETE', `/v1/cache/warm/jobs/${id}`)), [
      404,
      'Job not found or already completed',
    ]);
    assert.deepEqual(detailOf(await server.rest.get('/v1/cache/warm/jobs/none')), [404, 'Job not found']);
    assert.deepEqual(Object((await server.rest.get('/v1/cache/warm/jobs')).json), { jobs: [] });
  });

  it('forgets plans and is emptied when told', async () => {
    const { manifest_cache } = await server.rest.read(metadataStatsBody, '/v1/metadata/stats');
    assert.ok(manifest_cache.unfiltered.size > 0);
    assert.equal(Object((await server.rest.post('/v1/metadata/cleanup')).json).status, 'completed');
    await built(server, warehouse.uri('one'));
    assert.deepEqual((await server.rest.post('/v1/cache/clear')).json, { status: 'cleared' });
    const { total_entries, total_size_bytes } = await server.rest.read(cacheStatsBody, '/v1/cache/stats');
    assert.deepEqual([total_entries, total_size_bytes], [0, 0]);
  });

  it('makes room by what was used least recently', async () => {
    await server.stop();
    server = await startServer({ home, env: { SVC_MAX_CACHE_SIZE_BYTES: '4000' } });
    assert.equal(await read('one'), 40);
    await built(server, warehouse.uri('one'), { refresh: true });
    await built(server, warehouse.uri('two'), { refresh: true });
    const { total_size_bytes } = await server.rest.read(cacheStatsBody, '/v1/cache/stats');
    assert.ok(total_size_bytes <= 4000, `${total_size_bytes} bytes are kept`);
    const evictions = await server.rest.read(cacheEvictionsBody, '/v1/cache/evictions?include_events=true');
    assert.ok(evictions.total_files_evicted > 0 && evictions.recent_events.length > 0);
    assert.notEqual(evictions.pressure_level, 'low');
  });
});

it('a cache of whole row groups counts what came from the table and what from itself', async () => {
  await using warehouse = await createWarehouse(tables);
  await using server = await startServer({ env: { SVC_CACHE_GRANULARITY: 'row_group' } });
  const read = async (column: string) => {
    const { stream_url } = await ordered(server, warehouse.uri('one'), { params: { columns: [column] } });
    assert.equal((await rowsAt(server, stream_url)).rows.length, 40);
    return (await server.rest.read(cacheHistogramBody, '/v1/cache/histogram')).lifetime;
  };
  const first = await read('id');
  assert.deepEqual([first.hits, first.misses], [0, 4]);
  const told = Object((await server.rest.get('/metrics')).json);
  assert.deepEqual(
    [told.total_fetches, told.total_rows_fetched, told.bytes_from_storage],
    [4, 40, first.bytes_from_storage],
    'whole row groups were read, though one column was asked for',
  );
  const second = await read('s');
  assert.deepEqual(
    [second.hits, second.misses, second.bytes_from_storage],
    [4, 4, first.bytes_from_storage],
    'the other column was there already',
  );
});
