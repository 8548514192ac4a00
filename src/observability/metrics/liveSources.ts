/**
 * Values that other rooms own and the metrics only read, at the moment of a scrape. The composition root hands them
 * over as rooms come up; until then the idle values below stand in, so that every series exists from the start.
 */
import type {
  AdaptiveMetrics,
  AdaptiveTier,
  ArrowMemory,
  ConnectionsBody,
  EventLoopBody,
  GcPausesBody,
  QosMetrics,
  RateLimitsBody,
  ThreadPools,
  TimeoutsBody,
  WindowStats,
} from '../../protocol/index.ts';
import { createConnectionCounts } from '../connections.ts';
import { createEventLoop } from '../eventLoop.ts';
import { createGcPauses } from '../gcPauses.ts';
import type { EvictionPressure } from '../health.ts';

export interface DiskCacheState {
  readonly bytesCurrent: number;
  readonly entriesCurrent: number;
  readonly bytesMax: number;
  readonly evictionsPerMinute: number;
  readonly pressure: EvictionPressure;
}

interface HitsAndMisses {
  readonly hits: number;
  readonly misses: number;
}

export interface MetadataState {
  /** The store on disk. */
  readonly manifests: HitsAndMisses;
  readonly parquetFooters: HitsAndMisses;
  readonly staleInvalidations: number;
  /** The caches in memory. */
  readonly parquetCache: HitsAndMisses & { readonly size: number };
  readonly manifestCache: HitsAndMisses & { readonly size: number };
}

export interface LiveSources {
  qos(): QosMetrics;
  adaptive(): AdaptiveMetrics;
  diskCache(): DiskCacheState;
  metadata(): MetadataState;
  threadPools(): ThreadPools;
  rateLimits(): RateLimitsBody;
  engineMemory(): ArrowMemory;
  gcPauses(): GcPausesBody;
  eventLoop(): EventLoopBody;
  connections(): ConnectionsBody;
  draining(): boolean;
  droppedLogs(): number;
}

/** Settings that the metrics repeat. */
export interface ReportedLimits {
  readonly maxConcurrentScans: number;
  readonly maxTasksPerScan: number;
  readonly maxResponseBytes: number;
  readonly fetchParallelism: number;
  readonly timeouts: TimeoutsBody;
}

export function idleSources(limits: ReportedLimits): LiveSources {
  const { interactive_queue_timeout, bulk_queue_timeout } = limits.timeouts.qos_queue;
  return {
    qos: () => ({
      ...idleQos,
      interactive_queue_timeout_seconds: interactive_queue_timeout,
      bulk_queue_timeout_seconds: bulk_queue_timeout,
    }),
    adaptive: () => idleAdaptive,
    diskCache: () => ({ bytesCurrent: 0, entriesCurrent: 0, bytesMax: 0, evictionsPerMinute: 0, pressure: 'low' }),
    metadata: () => idleMetadata,
    threadPools: () => ({ planning: idlePool('planning'), fetch: idlePool('fetch') }),
    rateLimits: () => idleRateLimits,
    engineMemory: () => ({ pool_backend: 'none', bytes_allocated: 0, max_memory: 0 }),
    gcPauses: createGcPauses().snapshot,
    eventLoop: createEventLoop().snapshot,
    connections: createConnectionCounts().snapshot,
    draining: () => false,
    droppedLogs: () => 0,
  };
}

const idleQos: QosMetrics = {
  interactive_slots: 0,
  interactive_active: 0,
  interactive_available: 0,
  interactive_rejected: 0,
  interactive_queue_timeout_seconds: 0,
  interactive_queue_wait_avg_ms: 0,
  interactive_queue_wait_total_ms: 0,
  interactive_queue_wait_count: 0,
  bulk_slots: 0,
  bulk_active: 0,
  bulk_available: 0,
  bulk_rejected: 0,
  bulk_queue_timeout_seconds: 0,
  bulk_queue_wait_avg_ms: 0,
  bulk_queue_wait_total_ms: 0,
  bulk_queue_wait_count: 0,
  per_client_interactive: 0,
  per_client_bulk: 0,
  client_rejected: 0,
  tracked_clients: 0,
  per_tenant: {},
};

const noWindow: WindowStats = {
  count: 0,
  window_size: 0,
  p50_ms: 0,
  p95_ms: 0,
  p99_ms: 0,
  min_ms: 0,
  max_ms: 0,
  avg_ms: 0,
};

const idleTier: AdaptiveTier = {
  current_slots: 0,
  min_slots: 0,
  max_slots: 0,
  last_p95_ms: 0,
  last_queue_wait_p95_ms: 0,
  consecutive_increase_signals: 0,
  consecutive_decrease_signals: 0,
  increase_events: 0,
  decrease_events: 0,
  latency_stats: noWindow,
  queue_wait_stats: noWindow,
};

const idleAdaptive: AdaptiveMetrics = {
  enabled: false,
  target_p95_ms: 0,
  queue_wait_threshold_ms: 100,
  hysteresis_count: 0,
  interactive: idleTier,
  bulk: idleTier,
};

const none = { hits: 0, misses: 0 };
const idleMetadata: MetadataState = {
  manifests: none,
  parquetFooters: none,
  staleInvalidations: 0,
  parquetCache: { ...none, size: 0 },
  manifestCache: { ...none, size: 0 },
};

const idleRateLimits: RateLimitsBody = {
  total_requests: 0,
  allowed_requests: 0,
  rejected_global: 0,
  rejected_client: 0,
  rejected_endpoint: 0,
  active_clients: 0,
  global_tokens_available: 0,
  enabled: false,
};

function idlePool(name: string): ThreadPools[string] {
  return {
    name,
    max_workers: 0,
    active_workers: 0,
    queue_depth: 0,
    utilization_pct: 0,
    tasks_completed: 0,
    tasks_submitted: 0,
  };
}
