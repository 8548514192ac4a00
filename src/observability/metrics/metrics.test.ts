import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsBody, tablesMetricsBody } from '../../protocol/metrics.ts';
import { tenantsBody } from '../../protocol/observability.ts';
import { createMetrics, type ReportedLimits } from './index.ts';
import { createLedger } from './ledger.ts';

const limits: ReportedLimits = {
  maxConcurrentScans: 100,
  maxTasksPerScan: 1000,
  maxResponseBytes: 512,
  fetchParallelism: 4,
  timeouts: {
    planning: { plan_timeout_seconds: 30 },
    scanning: { scan_timeout_seconds: 300 },
    qos_queue: { interactive_queue_timeout: 10, bulk_queue_timeout: 30 },
    fetching: { fetch_timeout_seconds: 60 },
    s3: { s3_connect_timeout_seconds: 10, s3_request_timeout_seconds: 30 },
  },
};

const open = () => createMetrics({ principalAuth: false, limits });
const guarded = () => createMetrics({ principalAuth: true, limits });
type Metrics = ReturnType<typeof open>;

const scan = { table: 'svc.db.plain', tenant: '_default' };

function doSomeWork(metrics: Metrics): void {
  metrics.cacheHit({ ...scan, bytes: 300 });
  metrics.cacheMiss({ ...scan, bytes: 100, rows: 5 });
  metrics.cacheWritten({ bytes: 100 });
  metrics.scanFinished({ ...scan, latencyMs: 20, rowsReturned: 10, rowGroupsPruned: 2 });
  metrics.scanFinished({ ...scan, latencyMs: 40, rowsReturned: 0, rowGroupsPruned: 0 });
  metrics.cacheEvicted({ files: 3, bytes: 900 });
  metrics.streamAborted('timeout');
  metrics.streamAborted('size');
  metrics.clientDisconnected();
  metrics.prefetch('started');
  metrics.prefetch('started');
  metrics.prefetch('used');
  metrics.prefetch('skipped');
  const build = { transform: 'duckdb_sql@v1', tenant: 't1' };
  metrics.buildStarted({ ...build, queueWaitMs: 7 });
  metrics.buildSucceeded({ ...build, durationMs: 50, bytesIn: 11, bytesOut: 22 });
  metrics.buildStarted({ ...build, queueWaitMs: 3 });
  metrics.buildFailed({ ...build, durationMs: 10, errorCode: 'TIMEOUT' });
  metrics.buildStarted({ ...build, queueWaitMs: 0 });
  metrics.aiCall({ tenant: 't1', principal: 'ann', model: 'm', inputTokens: 5, outputTokens: 6 });
  metrics.aiCall({ tenant: 't2', principal: 'bob', model: 'm', inputTokens: 1, outputTokens: 1 });
}

async function scrape(metrics: Metrics) {
  const { contentType, text } = await metrics.prometheus();
  const lines = text.split('\n').filter(Boolean);
  const kinds = new Map<string, string>();
  for (const line of lines) {
    const [hash, word, name, kind] = line.split(' ');
    if (hash === '#' && word === 'TYPE' && name && kind) kinds.set(name, kind);
  }
  const samples = lines.filter((line) => !line.startsWith('#'));
  return { contentType, kinds, samples };
}

function expand(words: string): string[] {
  return words.trim().split(/\s+/).flatMap(spread);
}

/** `a_{b,c}` stands for `a_b` and `a_c`. */
function spread(word: string): string[] {
  const [group, parts] = /\{([^}]+)\}/.exec(word) ?? [];
  return group && parts ? parts.split(',').flatMap((part) => spread(word.replace(group, part))) : [word];
}

const counters = expand(`cache_hits_total cache_misses_total scans_total bytes_from_cache_total bytes_from_storage_total
  rows_returned_total row_groups_pruned_total stream_aborts_timeout_total stream_aborts_size_total
  client_disconnects_total cache_evictions_total cache_evicted_bytes_total cache_bytes_written_total
  prefetch_{started,used,wasted,skipped}_total gc_collections_total gc_collected_total gc_pause_total_ms gc_pauses_total
  gc_pause_count gc_pause_total_ms_by_gen metadata_{manifest,parquet}_{hits,misses}_total
  metadata_stale_invalidations_total parquet_cache_{hits,misses}_total manifest_cache_{hits,misses}_total
  qos_{interactive,bulk}_rejected_total qos_client_rejected_total rate_limit_requests_total rate_limit_allowed_total
  rate_limit_rejected_total cache_eviction_events_total cache_files_evicted_total cache_eviction_bytes_total
  http_requests_total http_connections_keepalive builds_{started,succeeded,failed,cancelled}_total builds_errors_total
  builds_duration_total_ms builds_queue_wait_total_ms builds_bytes_{in,out}_total
  build_transform_{started,succeeded,failed}_total`);
const gauges = expand(`active_scans max_concurrent_scans draining cache_bytes_current cache_entries_current
  cache_max_bytes prefetch_in_flight gc_pause_max_ms gc_pause_max_ms_by_gen parquet_cache_size manifest_cache_size
  qos_{interactive,bulk}_{slots,active,queue_wait_avg_ms} qos_per_client_limit qos_tracked_clients fetch_parallelism
  fetch_executor_workers timeout_{plan,scan,fetch}_seconds timeout_queue_seconds timeout_s3_seconds
  rate_limit_active_clients cache_eviction_rate cache_eviction_pressure
  thread_pool_{active_workers,max_workers,utilization} http_connections_active event_loop_delay_{p50,p99,max}_ms arrow_memory_bytes_allocated
  arrow_memory_max_bytes builds_in_flight`);
const afterFirstBuild = expand('builds_duration_{p50,p95,p99}_ms builds_queue_wait_p95_ms');
const afterFirstCall = expand('ai_{calls,input_tokens,output_tokens}_total');
const namingCounters = expand(
  'table_scans_total tenant_scans_total tenant_bytes_total build_tenant_{started,bytes_out}_total',
);
const namingGauges = expand('table_latency_p95_ms table_cache_hit_rate tenant_cache_hit_rate');

function kindsOf(counterNames: string[], gaugeNames: string[]): [string, string][] {
  const all: [string, string][] = [
    ...counterNames.map((name): [string, string] => [`svc_${name}`, 'counter']),
    ...gaugeNames.map((name): [string, string] => [`svc_${name}`, 'gauge']),
  ];
  return all.sort();
}

test('every series of the protocol exists from the start, with its kind', async () => {
  const { contentType, kinds } = await scrape(open());
  assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8');
  assert.deepEqual([...kinds].sort(), kindsOf([...counters, ...namingCounters], [...gauges, ...namingGauges]));
});

test('percentiles of builds and model calls appear with the first of them', async () => {
  const metrics = open();
  doSomeWork(metrics);
  const { kinds } = await scrape(metrics);
  assert.deepEqual(
    [...kinds].sort(),
    kindsOf([...counters, ...namingCounters, ...afterFirstCall], [...gauges, ...namingGauges, ...afterFirstBuild]),
  );
});

test('under principal auth nothing names a table, a tenant or a principal', async () => {
  const metrics = guarded();
  doSomeWork(metrics);
  metrics.provide({
    qos: () => ({
      ...open().json().qos,
      per_tenant: { t1: { interactive_capacity: 1, interactive_in_use: 0, bulk_capacity: 1, bulk_in_use: 0 } },
    }),
  });
  const { kinds, samples } = await scrape(metrics);
  assert.deepEqual([...kinds].sort(), kindsOf([...counters, ...afterFirstCall], [...gauges, ...afterFirstBuild]));
  assert.deepEqual(
    samples.filter((line) => /"(svc\.db\.plain|_default|t1|t2|ann|bob)"/.test(line)),
    [],
  );
  assert.ok(samples.includes('svc_ai_input_tokens_total{model="m"} 6'));
  assert.deepEqual(metrics.json().qos.per_tenant, {});
  assert.equal(metrics.tables().length, 1, 'the rows themselves are kept, for those who may ask');
});

test('the scrape tells what was recorded', async () => {
  const metrics = open();
  doSomeWork(metrics);
  const { samples } = await scrape(metrics);
  const expected = [
    'svc_cache_hits_total 1',
    'svc_cache_misses_total 1',
    'svc_scans_total 2',
    'svc_prefetch_in_flight 1',
    'svc_cache_evictions_total 3',
    'svc_cache_eviction_events_total 1',
    'svc_gc_collections_total{generation="0"} 0',
    'svc_timeout_s3_seconds{type="connect"} 10',
    'svc_timeout_queue_seconds{tier="bulk"} 30',
    'svc_rate_limit_rejected_total{reason="endpoint"} 0',
    'svc_thread_pool_max_workers{pool="planning"} 0',
    'svc_builds_in_flight 1',
    'svc_builds_errors_total{error_code="TIMEOUT"} 1',
    'svc_build_transform_started_total{transform="duckdb_sql@v1"} 3',
    'svc_builds_duration_p50_ms 10',
    'svc_builds_queue_wait_p95_ms 7',
    'svc_ai_calls_total{tenant="t1",principal="ann",model="m"} 1',
    'svc_table_scans_total{table="svc.db.plain"} 2',
    'svc_table_latency_p95_ms{table="svc.db.plain"} 40',
    'svc_tenant_bytes_total{tenant="_default"} 400',
    'svc_build_tenant_bytes_out_total{tenant="t1"} 22',
  ];
  assert.deepEqual(
    expected.filter((line) => !samples.includes(line)),
    [],
  );
});

test('a label with quotes and line breaks stays one label', async () => {
  const metrics = open();
  metrics.scanFinished({ table: 'a"b\nc\\', tenant: 't', latencyMs: 1, rowsReturned: 0, rowGroupsPruned: 0 });
  const { samples } = await scrape(metrics);
  assert.ok(samples.includes('svc_table_scans_total{table="a\\"b\\nc\\\\"} 1'));
});

test('the JSON body has the shape of the protocol and tells the same', () => {
  const metrics = open();
  doSomeWork(metrics);
  metrics.provide({
    droppedLogs: () => 4,
    diskCache: () => ({ bytesCurrent: 9, entriesCurrent: 1, bytesMax: 99, evictionsPerMinute: 2, pressure: 'medium' }),
    qos: () => ({ ...open().json().qos, interactive_active: 2, bulk_active: 1 }),
  });
  const body = metrics.json();
  assert.deepEqual(metricsBody.strict().parse(body), body);
  const { gc_pauses: _pauses, connections: _connections, adaptive_concurrency: _adaptive, qos: _qos, ...rest } = body;
  assert.deepEqual(rest, {
    scan_count: 2,
    total_fetches: 1,
    total_rows_fetched: 5,
    cache_hits: 1,
    cache_misses: 1,
    cache_hit_rate: 0.5,
    bytes_from_cache: 300,
    bytes_from_storage: 100,
    bytes_written_to_cache: 100,
    rows_returned: 10,
    row_groups_pruned: 2,
    stream_aborts_timeout: 1,
    stream_aborts_size: 1,
    client_disconnects: 1,
    cache_evictions_count: 3,
    cache_evicted_bytes: 900,
    dropped_logs: 4,
    arrow_memory: { pool_backend: 'none', bytes_allocated: 0, max_memory: 0 },
    event_loop: { delay_p50_ms: 0, delay_p99_ms: 0, delay_max_ms: 0 },
    gc: {
      gen0_collections: 0,
      gen0_collected: 0,
      gen0_uncollectable: 0,
      gen1_collections: 0,
      gen1_collected: 0,
      gen1_uncollectable: 0,
      gen2_collections: 0,
      gen2_collected: 0,
      gen2_uncollectable: 0,
    },
    resource_limits: {
      max_concurrent_scans: 100,
      active_scans: 3,
      max_tasks_per_scan: 1000,
      plan_timeout_seconds: 30,
      scan_timeout_seconds: 300,
      max_response_bytes: 512,
    },
    prefetch: { started: 2, used: 1, wasted: 0, skipped: 1, in_flight: 1 },
    disk_cache: { bytes_current: 9, entries_current: 1, bytes_max: 99, evictions_count: 3, evicted_bytes: 900 },
    thread_pools: body.thread_pools,
  });
});

test('rows of tables and tenants', () => {
  const metrics = open();
  doSomeWork(metrics);
  metrics.tenantSeen('quiet');
  const row = {
    table_id: 'svc.db.plain',
    scan_count: 2,
    avg_latency_ms: 30,
    cache_hit_rate: 0.5,
    cache_hits: 1,
    cache_misses: 1,
    bytes_from_cache: 300,
    bytes_from_storage: 100,
    rows_returned: 10,
    row_groups_pruned: 2,
    p50_ms: 20,
    p95_ms: 40,
    p99_ms: 40,
  };
  assert.deepEqual([metrics.tables(), metrics.table('svc.db.plain'), metrics.table('zz')], [[row], row, undefined]);
  assert.deepEqual(
    metrics.tenants().map((tenant) => [tenant.tenant_id, tenant.total_scans]),
    [
      ['_default', 2],
      ['quiet', 0],
    ],
  );
  tablesMetricsBody.parse({ tables: metrics.tables() });
  tenantsBody.parse({ tenants: metrics.tenants() });
});

test('a reset begins again at zero and leaves builds alone', async () => {
  const metrics = open();
  doSomeWork(metrics);
  metrics.resetScans();
  metrics.prefetch('used');
  assert.deepEqual([metrics.json().scan_count, metrics.tables(), metrics.tenants()], [0, [], []]);
  assert.equal(metrics.json().prefetch.in_flight, 0);
  assert.ok((await scrape(metrics)).samples.includes('svc_builds_started_total 3'));
});

test('however many names there are, a bounded number of rows is kept', () => {
  const ledger = createLedger(3, () => ({ count: 0 }));
  for (const name of ['a', 'b', 'c', 'a', 'd']) ledger.row(name).count += 1;
  assert.deepEqual(ledger.entries(), [
    ['a', { count: 2 }],
    ['c', { count: 1 }],
    ['d', { count: 1 }],
  ]);
  const metrics = open();
  for (let i = 0; i < 3000; i += 1) metrics.cacheHit({ table: `t${i}`, tenant: `n${i}`, bytes: 1 });
  assert.deepEqual([metrics.tables().length, metrics.tenants().length, metrics.json().cache_hits], [1000, 1000, 3000]);
});
