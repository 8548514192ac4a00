import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectionsBody,
  detailedMemoryBody,
  gcPausesBody,
  latencyBody,
  memorySnapshot as memorySnapshotShape,
} from '../protocol/observability.ts';
import { createConnectionCounts } from './connections.ts';
import { createGcPauses, generationOf } from './gcPauses.ts';
import { createLatency } from './latency.ts';
import { detailedMemory, memorySnapshot } from './memory.ts';

test('connections: active, peak, rate and share of kept connections', () => {
  let seconds = 500;
  const connections = createConnectionCounts(() => seconds);
  const first = connections.requestStarted({ keepAlive: true });
  connections.requestStarted({ keepAlive: true });
  connections.requestStarted({ keepAlive: false })();
  first();
  first();
  seconds += 10;
  const body = connections.snapshot();
  assert.deepEqual(body, {
    active_requests: 1,
    total_requests: 3,
    max_concurrent_requests: 3,
    request_rate_per_sec: 0.3,
    uptime_seconds: 10,
    keepalive_pct: 200 / 3,
    requests_with_keepalive: 2,
    requests_without_keepalive: 1,
  });
  assert.deepEqual(connectionsBody.parse(body), body);
  seconds += 60;
  assert.equal(connections.snapshot().request_rate_per_sec, 0);
});

test('garbage collection: totals for ever, the newest pauses, one generation each', () => {
  const gc = createGcPauses();
  gc.record({ timestamp: 1, generation: 0, duration_ms: 1 });
  gc.record({ timestamp: 2, generation: 2, duration_ms: 8 });
  gc.record({ timestamp: 3, generation: 0, duration_ms: 3 });
  const body = gc.snapshot(2);
  assert.deepEqual(body, {
    pauses: [
      { timestamp: 2, generation: 2, duration_ms: 8 },
      { timestamp: 3, generation: 0, duration_ms: 3 },
    ],
    stats: {
      total_pauses: 3,
      total_pause_ms: 12,
      max_pause_ms: 8,
      gen0: { count: 2, total_ms: 4, max_ms: 3, avg_ms: 2 },
      gen1: { count: 0, total_ms: 0, max_ms: 0, avg_ms: 0 },
      gen2: { count: 1, total_ms: 8, max_ms: 8, avg_ms: 8 },
      recent: { count: 3, p50_ms: 3, p95_ms: 8, p99_ms: 8 },
    },
  });
  assert.deepEqual(gcPausesBody.parse(body), body);
});

test('garbage collection: single pauses are bounded', () => {
  const gc = createGcPauses();
  for (let i = 0; i < 1500; i += 1) gc.record({ timestamp: i, generation: 1, duration_ms: 1 });
  const { pauses, stats } = gc.snapshot(5000);
  assert.deepEqual(
    [pauses.length, pauses[0]?.timestamp, stats.total_pauses, stats.recent.count],
    [1000, 500, 1500, 1000],
  );
});

test('garbage collection: kinds of V8', () => {
  assert.deepEqual([1, 2, 4, 8, 16].map(generationOf), [0, 0, 2, 1, 1]);
});

test('garbage collection: real pauses of this process arrive', async () => {
  const gc = createGcPauses();
  const stop = gc.watch();
  let waste: unknown[] = [];
  while (gc.snapshot().stats.total_pauses === 0) {
    for (let i = 0; i < 200_000; i += 1) waste.push({ i });
    waste = [];
    await new Promise(setImmediate);
  }
  stop();
  const [pause] = gc.snapshot().pauses;
  assert.ok(pause && Math.abs(pause.timestamp - Date.now() / 1000) < 60);
});

test('latency: nothing before the first measurement, then buckets and percentiles', () => {
  const latency = createLatency();
  assert.deepEqual(latency.snapshot(), { histograms: {} });
  for (let i = 0; i < 90; i += 1) latency.record('plan', 4);
  for (let i = 0; i < 10; i += 1) latency.record('plan', 400);
  latency.record('ttfb', 400_000);
  const body = latency.snapshot();
  const { plan, ttfb } = body.histograms;
  const below5 = { '1': 0, '2.5': 0, '5': 90, '10': 90, '25': 90, '50': 90, '100': 90, '250': 90 };
  const above = { '1000': 100, '2500': 100, '5000': 100, '10000': 100, '30000': 100, '60000': 100, '300000': 100 };
  assert.deepEqual(plan, {
    buckets: { ...below5, '500': 100, ...above, '+Inf': 100 },
    count: 100,
    sum_ms: 4360,
    avg_ms: 43.6,
    max_ms: 400,
    percentiles: { p50: 2.5 + 2.5 * (50 / 90), p95: 325, p99: 385 },
  });
  assert.deepEqual([ttfb?.buckets['300000'], ttfb?.buckets['+Inf'], ttfb?.max_ms], [0, 1, 400_000]);
  assert.deepEqual(latencyBody.parse(body), body);
});

test('memory: real numbers of this process, Arrow’s from the engine', () => {
  const arrow = { pool_backend: 'mimalloc', bytes_allocated: 3 * 1024 * 1024, max_memory: 4 * 1024 * 1024 };
  const snapshot = memorySnapshot(arrow);
  assert.deepEqual(memorySnapshotShape.parse(snapshot), snapshot);
  assert.deepEqual(snapshot.arrow, { ...arrow, allocated_mb: 3, max_mb: 4 });
  assert.ok(snapshot.process.rss_bytes > 10_000_000);
  const detailed = detailedMemory(arrow);
  assert.deepEqual(detailedMemoryBody.parse(detailed), detailed);
});
