/**
 * Bodies of `GET /metrics` and `GET /metrics/tables`, member by member, because the live sources that feed the
 * metrics (QoS, disk cache, adaptive control, …) answer in exactly these shapes.
 */
import { z } from 'zod';
import { connectionsBody, eventLoopBody, gcPausesBody, threadPools } from './observability.ts';

export const tableMetrics = z.object({
  table_id: z.string(),
  scan_count: z.int(),
  avg_latency_ms: z.number(),
  cache_hit_rate: z.number(),
  cache_hits: z.int(),
  cache_misses: z.int(),
  bytes_from_cache: z.int(),
  bytes_from_storage: z.int(),
  rows_returned: z.int(),
  row_groups_pruned: z.int(),
  p50_ms: z.number(),
  p95_ms: z.number(),
  p99_ms: z.number(),
});

export const tablesMetricsBody = z.object({ tables: z.array(tableMetrics) });

export const arrowMemory = z.object({ pool_backend: z.string(), bytes_allocated: z.int(), max_memory: z.int() });

export const tenantSlotUse = z.object({
  interactive_capacity: z.int(),
  interactive_in_use: z.int(),
  bulk_capacity: z.int(),
  bulk_in_use: z.int(),
});

export const qosMetrics = z.object({
  interactive_slots: z.int(),
  interactive_active: z.int(),
  interactive_available: z.int(),
  interactive_rejected: z.int(),
  interactive_queue_timeout_seconds: z.number(),
  interactive_queue_wait_avg_ms: z.number(),
  interactive_queue_wait_total_ms: z.number(),
  interactive_queue_wait_count: z.int(),
  bulk_slots: z.int(),
  bulk_active: z.int(),
  bulk_available: z.int(),
  bulk_rejected: z.int(),
  bulk_queue_timeout_seconds: z.number(),
  bulk_queue_wait_avg_ms: z.number(),
  bulk_queue_wait_total_ms: z.number(),
  bulk_queue_wait_count: z.int(),
  per_client_interactive: z.int(),
  per_client_bulk: z.int(),
  client_rejected: z.int(),
  tracked_clients: z.int(),
  /** empty under principal auth: the route is open, and tenant names are not everybody's */
  per_tenant: z.record(z.string(), tenantSlotUse),
});

export const windowStats = z.object({
  count: z.int(),
  window_size: z.int(),
  p50_ms: z.number(),
  p95_ms: z.number(),
  p99_ms: z.number(),
  min_ms: z.number(),
  max_ms: z.number(),
  avg_ms: z.number(),
});

export const adaptiveTier = z.object({
  current_slots: z.int(),
  min_slots: z.int(),
  max_slots: z.int(),
  last_p95_ms: z.number(),
  last_queue_wait_p95_ms: z.number(),
  consecutive_increase_signals: z.int(),
  consecutive_decrease_signals: z.int(),
  increase_events: z.int(),
  decrease_events: z.int(),
  latency_stats: windowStats,
  queue_wait_stats: windowStats,
});

export const adaptiveMetrics = z.object({
  enabled: z.boolean(),
  target_p95_ms: z.number(),
  queue_wait_threshold_ms: z.number(),
  hysteresis_count: z.int(),
  interactive: adaptiveTier,
  bulk: adaptiveTier,
});

export const resourceLimits = z.object({
  max_concurrent_scans: z.int(),
  active_scans: z.int(),
  max_tasks_per_scan: z.int(),
  plan_timeout_seconds: z.number(),
  scan_timeout_seconds: z.number(),
  max_response_bytes: z.int(),
});

export const metricsBody = z.object({
  scan_count: z.int(),
  total_fetches: z.int(),
  total_rows_fetched: z.int(),
  cache_hits: z.int(),
  cache_misses: z.int(),
  cache_hit_rate: z.number(),
  bytes_from_cache: z.int(),
  bytes_from_storage: z.int(),
  bytes_written_to_cache: z.int(),
  rows_returned: z.int(),
  row_groups_pruned: z.int(),
  stream_aborts_timeout: z.int(),
  stream_aborts_size: z.int(),
  client_disconnects: z.int(),
  cache_evictions_count: z.int(),
  cache_evicted_bytes: z.int(),
  dropped_logs: z.int(),
  arrow_memory: arrowMemory,
  gc: z.object({
    gen0_collections: z.int(),
    gen0_collected: z.int(),
    gen0_uncollectable: z.int(),
    gen1_collections: z.int(),
    gen1_collected: z.int(),
    gen1_uncollectable: z.int(),
    gen2_collections: z.int(),
    gen2_collected: z.int(),
    gen2_uncollectable: z.int(),
  }),
  gc_pauses: gcPausesBody,
  event_loop: eventLoopBody,
  resource_limits: resourceLimits,
  prefetch: z.object({
    started: z.int(),
    used: z.int(),
    wasted: z.int(),
    skipped: z.int(),
    in_flight: z.int(),
  }),
  qos: qosMetrics,
  disk_cache: z.object({
    bytes_current: z.int(),
    entries_current: z.int(),
    bytes_max: z.int(),
    evictions_count: z.int(),
    evicted_bytes: z.int(),
  }),
  thread_pools: threadPools,
  connections: connectionsBody,
  adaptive_concurrency: adaptiveMetrics,
});

export type TableMetrics = z.infer<typeof tableMetrics>;
export type ArrowMemory = z.infer<typeof arrowMemory>;
export type QosMetrics = z.infer<typeof qosMetrics>;
export type WindowStats = z.infer<typeof windowStats>;
export type AdaptiveTier = z.infer<typeof adaptiveTier>;
export type AdaptiveMetrics = z.infer<typeof adaptiveMetrics>;
export type ResourceLimits = z.infer<typeof resourceLimits>;
export type MetricsBody = z.infer<typeof metricsBody>;
