/**
 * Response bodies of logs, health, debug, timeouts and tenant rows. The metrics bodies are in `metrics.ts` beside this.
 * Shapes only: the rooms `observability` and `limits` import the types, HTTP and the tests the schemas.
 * Times are epoch seconds as floats; a member measured in milliseconds says so in its name.
 */
import { z } from 'zod';

export const logLevel = z.enum(['debug', 'info', 'warning', 'error', 'critical']);

export const logSource = z.object({ file: z.string(), line: z.int(), function: z.string() });

/** Keys of the event itself stand beside these, hence loose. */
export const logRecord = z.looseObject({
  level: logLevel,
  logger: z.string(),
  message: z.string(),
  timestamp: z.number(),
  request_id: z.string().optional(),
  method: z.string().optional(),
  path: z.string().optional(),
  notebook_id: z.string().optional(),
  tenant_id: z.string().optional(),
  principal: z.string().optional(),
  build_id: z.string().optional(),
  transform_ref: z.string().optional(),
  provenance_hash: z.string().optional(),
  trace_id: z.string().optional(),
  span_id: z.string().optional(),
  exception: z.string().optional(),
  source: logSource.optional(),
});

export const logEntry = logRecord.extend({ cursor: z.int().min(1) });

export const logsBody = z.object({ entries: z.array(logEntry), cursor: z.int().min(0) });

export const healthBody = z.object({ status: z.literal('ok') });

export const readinessBody = z.object({
  status: z.enum(['ready', 'not_ready']),
  checks: z.object({
    draining: z.boolean(),
    interactive_saturated_seconds: z.number(),
    bulk_saturated_seconds: z.number(),
    capacity_exhausted: z.boolean(),
    dropped_logs: z.int(),
    ready: z.boolean(),
    server_initialized: z.boolean(),
    /** null: this deployment has no such store */
    metadata_store: z.boolean().nullable(),
    artifact_store: z.boolean().nullable(),
    interactive_available: z.int(),
    bulk_available: z.int(),
    active_scans: z.int(),
    issues: z.array(z.string()).optional(),
    metadata_store_error: z.string().optional(),
    artifact_store_error: z.string().optional(),
  }),
});

export const dependencyStatus = z.enum(['healthy', 'degraded', 'unhealthy']);

export const dependencyCheck = z.object({
  name: z.string(),
  status: dependencyStatus,
  latency_ms: z.number(),
  message: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
});

export const dependenciesBody = z.object({
  status: dependencyStatus,
  timestamp: z.number(),
  version: z.string(),
  checks: z.array(dependencyCheck),
  summary: z.object({ total: z.int(), healthy: z.int(), degraded: z.int(), unhealthy: z.int() }),
});

export const latencyStage = z.enum(['plan', 'ttfb', 'fetch', 'total_request']);

export const latencyHistogram = z.object({
  /** cumulative counts, keyed by the upper bound in milliseconds; the last key is `+Inf` */
  buckets: z.record(z.string(), z.int()),
  count: z.int(),
  sum_ms: z.number(),
  avg_ms: z.number(),
  max_ms: z.number(),
  percentiles: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }),
});

/** A stage is absent until it has recorded. */
export const latencyBody = z.object({ histograms: z.partialRecord(latencyStage, latencyHistogram) });

export const gcGenerationStats = z.object({
  count: z.int(),
  total_ms: z.number(),
  max_ms: z.number(),
  avg_ms: z.number(),
});

export const gcPausesBody = z.object({
  pauses: z.array(z.object({ timestamp: z.number(), generation: z.int().min(0).max(2), duration_ms: z.number() })),
  stats: z.object({
    total_pauses: z.int(),
    total_pause_ms: z.number(),
    max_pause_ms: z.number(),
    gen0: gcGenerationStats,
    gen1: gcGenerationStats,
    gen2: gcGenerationStats,
    recent: z.object({ count: z.int(), p50_ms: z.number(), p95_ms: z.number(), p99_ms: z.number() }),
  }),
});

/** How late the event loop was in the last half to whole minute. */
export const eventLoopBody = z.object({
  delay_p50_ms: z.number(),
  delay_p99_ms: z.number(),
  delay_max_ms: z.number(),
});

export const threadPool = z.object({
  name: z.string(),
  max_workers: z.int(),
  active_workers: z.int(),
  queue_depth: z.int(),
  utilization_pct: z.number(),
  tasks_completed: z.int(),
  tasks_submitted: z.int(),
});

export const threadPools = z.record(z.string(), threadPool);
export const poolsBody = z.object({ thread_pools: threadPools, total_pools: z.int() });

export const connectionsBody = z.object({
  active_requests: z.int(),
  total_requests: z.int(),
  max_concurrent_requests: z.int(),
  request_rate_per_sec: z.number(),
  uptime_seconds: z.number(),
  keepalive_pct: z.number(),
  requests_with_keepalive: z.int(),
  requests_without_keepalive: z.int(),
});

export const memorySnapshot = z.object({
  arrow: z.object({
    bytes_allocated: z.int(),
    max_memory: z.int(),
    pool_backend: z.string(),
    allocated_mb: z.number(),
    max_mb: z.number(),
  }),
  /** The member keeps the protocol's name; V8 counts bytes where CPython counts objects, as `unit` says. */
  python: z.object({
    gc_tracked_objects: z.int(),
    gc_objects_by_gen: z.array(z.int()),
    unit: z.literal('bytes'),
    heap_total_bytes: z.int(),
    heap_limit_bytes: z.int(),
    external_bytes: z.int(),
  }),
  process: z.object({
    rss_bytes: z.int(),
    /** null where the operating system does not tell */
    vms_bytes: z.int().nullable(),
    rss_mb: z.number(),
    vms_mb: z.number().nullable(),
  }),
});

export const detailedMemoryBody = z.object({
  snapshot: memorySnapshot,
  arrow_details: z.record(z.string(), z.unknown()),
  python_details: z.record(z.string(), z.unknown()),
});

export const memoryBody = z.union([memorySnapshot, detailedMemoryBody]);

export const rateLimitsBody = z.object({
  total_requests: z.int(),
  allowed_requests: z.int(),
  rejected_global: z.int(),
  rejected_client: z.int(),
  rejected_endpoint: z.int(),
  active_clients: z.int(),
  global_tokens_available: z.number(),
  enabled: z.boolean(),
});

export const timeoutsBody = z.object({
  planning: z.object({ plan_timeout_seconds: z.number() }),
  scanning: z.object({ scan_timeout_seconds: z.number() }),
  qos_queue: z.object({ interactive_queue_timeout: z.number(), bulk_queue_timeout: z.number() }),
  fetching: z.object({ fetch_timeout_seconds: z.number() }),
  s3: z.object({ s3_connect_timeout_seconds: z.number(), s3_request_timeout_seconds: z.number() }),
});

/** What one cell may take on this server. */
export const cellLimitsBody = z.object({
  limits: z.array(
    z.object({
      /** The name by which an operator sets it. */
      setting: z.string(),
      /** Null where there is no limit. */
      value: z.int().nullable(),
      /** Whether nobody set it to something else. */
      is_default: z.boolean(),
      meaning: z.string(),
    }),
  ),
});

export const tenantMetrics = z.object({
  tenant_id: z.string(),
  total_scans: z.int(),
  cache_hits: z.int(),
  cache_misses: z.int(),
  cache_hit_rate: z.number(),
  bytes_from_cache: z.int(),
  bytes_from_storage: z.int(),
  rows_returned: z.int(),
});

export const tenantsBody = z.object({ tenants: z.array(tenantMetrics) });

export const tenantSlots = z.object({
  interactive_slots: z.int().nullable(),
  bulk_slots: z.int().nullable(),
  per_client_interactive: z.int().nullable(),
  per_client_bulk: z.int().nullable(),
});

export const tenantBody = z.object({
  tenant_id: z.string(),
  registered: z.boolean(),
  enabled: z.boolean(),
  metrics: tenantMetrics.nullable(),
  config: tenantSlots.nullable(),
});

export type LogLevel = z.infer<typeof logLevel>;
export type LogSource = z.infer<typeof logSource>;
export type LogRecord = z.infer<typeof logRecord>;
export type LogEntry = z.infer<typeof logEntry>;
export type LogsBody = z.infer<typeof logsBody>;
export type ReadinessBody = z.infer<typeof readinessBody>;
export type DependencyStatus = z.infer<typeof dependencyStatus>;
export type DependencyCheck = z.infer<typeof dependencyCheck>;
export type DependenciesBody = z.infer<typeof dependenciesBody>;
export type LatencyStage = z.infer<typeof latencyStage>;
export type LatencyHistogram = z.infer<typeof latencyHistogram>;
export type LatencyBody = z.infer<typeof latencyBody>;
export type GcGenerationStats = z.infer<typeof gcGenerationStats>;
export type EventLoopBody = z.infer<typeof eventLoopBody>;
export type GcPausesBody = z.infer<typeof gcPausesBody>;
export type ThreadPools = z.infer<typeof threadPools>;
export type ConnectionsBody = z.infer<typeof connectionsBody>;
export type MemorySnapshot = z.infer<typeof memorySnapshot>;
export type DetailedMemoryBody = z.infer<typeof detailedMemoryBody>;
export type RateLimitsBody = z.infer<typeof rateLimitsBody>;
export type TimeoutsBody = z.infer<typeof timeoutsBody>;
export type CellLimitsBody = z.infer<typeof cellLimitsBody>;
export type TenantMetrics = z.infer<typeof tenantMetrics>;
