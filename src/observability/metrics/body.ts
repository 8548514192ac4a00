/** The JSON body of `GET /metrics`. */
import type { MetricsBody } from '../../protocol/index.ts';
import type { LiveSources, ReportedLimits } from './liveSources.ts';
import { hitRate, type ScanTotals } from './scans.ts';

export interface BodyInputs {
  readonly totals: Readonly<ScanTotals>;
  readonly live: LiveSources;
  readonly limits: ReportedLimits;
  readonly principalAuth: boolean;
}

export function metricsBody({ totals, live, limits, principalAuth }: BodyInputs): MetricsBody {
  const qos = live.qos();
  const disk = live.diskCache();
  const pauses = live.gcPauses();
  return {
    scan_count: totals.scans,
    total_fetches: totals.fetches,
    total_rows_fetched: totals.rowsFetched,
    cache_hits: totals.hits,
    cache_misses: totals.misses,
    cache_hit_rate: hitRate(totals),
    bytes_from_cache: totals.bytesFromCache,
    bytes_from_storage: totals.bytesFromStorage,
    bytes_written_to_cache: totals.bytesWritten,
    rows_returned: totals.rowsReturned,
    row_groups_pruned: totals.rowGroupsPruned,
    stream_aborts_timeout: totals.abortsTimeout,
    stream_aborts_size: totals.abortsSize,
    client_disconnects: totals.disconnects,
    cache_evictions_count: totals.filesEvicted,
    cache_evicted_bytes: totals.bytesEvicted,
    dropped_logs: live.droppedLogs(),
    arrow_memory: live.engineMemory(),
    // V8 tells how often it collected, not how many objects.
    gc: {
      gen0_collections: pauses.stats.gen0.count,
      gen0_collected: 0,
      gen0_uncollectable: 0,
      gen1_collections: pauses.stats.gen1.count,
      gen1_collected: 0,
      gen1_uncollectable: 0,
      gen2_collections: pauses.stats.gen2.count,
      gen2_collected: 0,
      gen2_uncollectable: 0,
    },
    gc_pauses: pauses,
    event_loop: live.eventLoop(),
    resource_limits: {
      max_concurrent_scans: limits.maxConcurrentScans,
      active_scans: qos.interactive_active + qos.bulk_active,
      max_tasks_per_scan: limits.maxTasksPerScan,
      plan_timeout_seconds: limits.timeouts.planning.plan_timeout_seconds,
      scan_timeout_seconds: limits.timeouts.scanning.scan_timeout_seconds,
      max_response_bytes: limits.maxResponseBytes,
    },
    prefetch: { ...totals.prefetch, in_flight: prefetchesInFlight(totals) },
    qos: principalAuth ? { ...qos, per_tenant: {} } : qos,
    disk_cache: {
      bytes_current: disk.bytesCurrent,
      entries_current: disk.entriesCurrent,
      bytes_max: disk.bytesMax,
      evictions_count: totals.filesEvicted,
      evicted_bytes: totals.bytesEvicted,
    },
    thread_pools: live.threadPools(),
    connections: live.connections(),
    adaptive_concurrency: live.adaptive(),
  };
}

/** Not negative after a reset in the midst of some. */
export function prefetchesInFlight({ prefetch }: Pick<ScanTotals, 'prefetch'>): number {
  return Math.max(0, prefetch.started - prefetch.used - prefetch.wasted);
}
