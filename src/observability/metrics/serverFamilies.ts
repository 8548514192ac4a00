/** Families of the server itself: garbage collection, scan slots, timeouts, request limits, pools, connections. */
import { counter, counterBy, type Family, gauge, gaugeBy } from './families.ts';
import type { LiveSources, ReportedLimits } from './liveSources.ts';

export function gcFamilies(live: LiveSources): Family[] {
  const { stats } = live.gcPauses();
  const generations = [stats.gen0, stats.gen1, stats.gen2];
  const byGeneration = (value: (stats: (typeof generations)[number]) => number): [string, number][] =>
    generations.map((generation, index) => [String(index), value(generation)]);
  const each = 'generation';
  return [
    counterBy(
      each,
      'gc_collections_total',
      'Garbage collections',
      byGeneration((g) => g.count),
    ),
    counterBy(
      each,
      'gc_collected_total',
      'Objects collected (V8 does not count them)',
      byGeneration(() => 0),
    ),
    counter('gc_pause_total_ms', 'Time in garbage collection', stats.total_pause_ms),
    counter('gc_pauses_total', 'Garbage collection pauses', stats.total_pauses),
    counterBy(
      each,
      'gc_pause_count',
      'Pauses',
      byGeneration((g) => g.count),
    ),
    counterBy(
      each,
      'gc_pause_total_ms_by_gen',
      'Time paused',
      byGeneration((g) => g.total_ms),
    ),
    gauge('gc_pause_max_ms', 'Longest pause', stats.max_pause_ms),
    gaugeBy(
      each,
      'gc_pause_max_ms_by_gen',
      'Longest pause of a generation',
      byGeneration((g) => g.max_ms),
    ),
  ];
}

export function qosFamilies(live: LiveSources, limits: ReportedLimits): Family[] {
  const qos = live.qos();
  return [
    counter('qos_interactive_rejected_total', 'Interactive scans refused for want of a slot', qos.interactive_rejected),
    counter('qos_bulk_rejected_total', 'Bulk scans refused for want of a slot', qos.bulk_rejected),
    counter('qos_client_rejected_total', 'Scans refused by the limit of one client', qos.client_rejected),
    gauge('active_scans', 'Scans holding a slot', qos.interactive_active + qos.bulk_active),
    gauge('max_concurrent_scans', 'Scans allowed at once', limits.maxConcurrentScans),
    gauge('qos_interactive_slots', 'Interactive slots', qos.interactive_slots),
    gauge('qos_interactive_active', 'Interactive slots in use', qos.interactive_active),
    gauge('qos_interactive_queue_wait_avg_ms', 'Mean wait for an interactive slot', qos.interactive_queue_wait_avg_ms),
    gauge('qos_bulk_slots', 'Bulk slots', qos.bulk_slots),
    gauge('qos_bulk_active', 'Bulk slots in use', qos.bulk_active),
    gauge('qos_bulk_queue_wait_avg_ms', 'Mean wait for a bulk slot', qos.bulk_queue_wait_avg_ms),
    gaugeBy('tier', 'qos_per_client_limit', 'Scans one client may run at once', [
      ['interactive', qos.per_client_interactive],
      ['bulk', qos.per_client_bulk],
    ]),
    gauge('qos_tracked_clients', 'Clients with a scan limit of their own', qos.tracked_clients),
  ];
}

export function limitFamilies(live: LiveSources, { timeouts, fetchParallelism }: ReportedLimits): Family[] {
  const rates = live.rateLimits();
  return [
    gauge('fetch_parallelism', 'Row groups fetched at once for one scan', fetchParallelism),
    gauge('timeout_plan_seconds', 'Planning timeout', timeouts.planning.plan_timeout_seconds),
    gauge('timeout_scan_seconds', 'Scan timeout', timeouts.scanning.scan_timeout_seconds),
    gauge('timeout_fetch_seconds', 'Fetch timeout', timeouts.fetching.fetch_timeout_seconds),
    gaugeBy('tier', 'timeout_queue_seconds', 'Longest wait for a slot', [
      ['interactive', timeouts.qos_queue.interactive_queue_timeout],
      ['bulk', timeouts.qos_queue.bulk_queue_timeout],
    ]),
    gaugeBy('type', 'timeout_s3_seconds', 'Object store timeouts', [
      ['connect', timeouts.s3.s3_connect_timeout_seconds],
      ['request', timeouts.s3.s3_request_timeout_seconds],
    ]),
    counter('rate_limit_requests_total', 'Requests seen by the rate limiter', rates.total_requests),
    counter('rate_limit_allowed_total', 'Requests allowed', rates.allowed_requests),
    counterBy('reason', 'rate_limit_rejected_total', 'Requests refused', [
      ['global', rates.rejected_global],
      ['client', rates.rejected_client],
      ['endpoint', rates.rejected_endpoint],
    ]),
    gauge('rate_limit_active_clients', 'Clients with a bucket', rates.active_clients),
  ];
}

export function processFamilies(live: LiveSources): Family[] {
  const pools = live.threadPools();
  const connections = live.connections();
  const arrow = live.engineMemory();
  const loop = live.eventLoop();
  const byPool = (value: (pool: (typeof pools)[string]) => number): [string, number][] =>
    Object.entries(pools).map(([name, pool]) => [name, value(pool)]);
  return [
    gauge('draining', '1 while the server finishes its work before it stops', live.draining() ? 1 : 0),
    gauge('fetch_executor_workers', 'Workers that fetch row groups', pools.fetch?.max_workers ?? 0),
    gaugeBy(
      'pool',
      'thread_pool_active_workers',
      'Workers in use',
      byPool((pool) => pool.active_workers),
    ),
    gaugeBy(
      'pool',
      'thread_pool_max_workers',
      'Workers at most',
      byPool((pool) => pool.max_workers),
    ),
    gaugeBy(
      'pool',
      'thread_pool_utilization',
      'Percent of workers in use',
      byPool((pool) => pool.utilization_pct),
    ),
    counter('http_requests_total', 'HTTP requests', connections.total_requests),
    counter('http_connections_keepalive', 'Requests over a kept connection', connections.requests_with_keepalive),
    gauge('http_connections_active', 'HTTP requests being answered', connections.active_requests),
    gauge('event_loop_delay_p50_ms', 'Median delay of the event loop, of late', loop.delay_p50_ms),
    gauge('event_loop_delay_p99_ms', '99th percentile of the delays, of late', loop.delay_p99_ms),
    gauge('event_loop_delay_max_ms', 'Longest delay, of late', loop.delay_max_ms),
    gauge('arrow_memory_bytes_allocated', 'Bytes in the engine’s Arrow pool', arrow.bytes_allocated),
    gauge('arrow_memory_max_bytes', 'Most bytes the Arrow pool has held', arrow.max_memory),
  ];
}
