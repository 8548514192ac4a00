/** Families of scans, the row-group cache and the metadata caches, with the series for each table and tenant. */
import { prefetchesInFlight } from './body.ts';
import { counter, counterBy, type Family, gauge, gaugeBy } from './families.ts';
import type { DiskCacheState, MetadataState } from './liveSources.ts';
import type { ScanMetrics, ScanTotals } from './scans.ts';

const pressureLevels = { low: 0, medium: 1, high: 2, critical: 3 } as const;

export function scanFamilies(totals: Readonly<ScanTotals>): Family[] {
  const { prefetch } = totals;
  return [
    counter('cache_hits_total', 'Row groups served from the disk cache', totals.hits),
    counter('cache_misses_total', 'Row groups read from storage', totals.misses),
    counter('scans_total', 'Scans finished', totals.scans),
    counter('bytes_from_cache_total', 'Bytes served from the disk cache', totals.bytesFromCache),
    counter('bytes_from_storage_total', 'Bytes read from storage', totals.bytesFromStorage),
    counter('rows_returned_total', 'Rows returned by scans', totals.rowsReturned),
    counter('row_groups_pruned_total', 'Row groups that a filter made unnecessary', totals.rowGroupsPruned),
    counter('stream_aborts_timeout_total', 'Streams ended by the scan timeout', totals.abortsTimeout),
    counter('stream_aborts_size_total', 'Streams ended by the response size limit', totals.abortsSize),
    counter('client_disconnects_total', 'Clients that went away during a stream', totals.disconnects),
    counter('prefetch_started_total', 'Row groups fetched ahead', prefetch.started),
    counter('prefetch_used_total', 'Row groups fetched ahead and then read', prefetch.used),
    counter('prefetch_wasted_total', 'Row groups fetched ahead and never read', prefetch.wasted),
    counter('prefetch_skipped_total', 'Row groups not fetched ahead for lack of room', prefetch.skipped),
    gauge('prefetch_in_flight', 'Row groups fetched ahead and not yet read', prefetchesInFlight(totals)),
  ];
}

export function cacheFamilies(totals: Readonly<ScanTotals>, disk: DiskCacheState): Family[] {
  return [
    counter('cache_evictions_total', 'Entries evicted from the disk cache', totals.filesEvicted),
    counter('cache_evicted_bytes_total', 'Bytes evicted from the disk cache', totals.bytesEvicted),
    counter('cache_bytes_written_total', 'Bytes written to the disk cache', totals.bytesWritten),
    counter('cache_eviction_events_total', 'Sweeps that evicted something', totals.evictionSweeps),
    counter('cache_files_evicted_total', 'Files removed by sweeps', totals.filesEvicted),
    counter('cache_eviction_bytes_total', 'Bytes removed by sweeps', totals.bytesEvicted),
    gauge('cache_bytes_current', 'Bytes in the disk cache', disk.bytesCurrent),
    gauge('cache_entries_current', 'Entries in the disk cache', disk.entriesCurrent),
    gauge('cache_max_bytes', 'Cap of the disk cache in bytes', disk.bytesMax),
    gauge('cache_eviction_rate', 'Evictions per minute', disk.evictionsPerMinute),
    gauge('cache_eviction_pressure', '0 low, 1 medium, 2 high, 3 critical', pressureLevels[disk.pressure]),
  ];
}

export function metadataFamilies(metadata: MetadataState): Family[] {
  const { manifests, parquetFooters, parquetCache, manifestCache } = metadata;
  return [
    counter('metadata_manifest_hits_total', 'Manifest resolutions found in the metadata store', manifests.hits),
    counter('metadata_manifest_misses_total', 'Manifest resolutions not in the metadata store', manifests.misses),
    counter('metadata_parquet_hits_total', 'Parquet footers found in the metadata store', parquetFooters.hits),
    counter('metadata_parquet_misses_total', 'Parquet footers not in the metadata store', parquetFooters.misses),
    counter('metadata_stale_invalidations_total', 'Stale metadata entries dropped', metadata.staleInvalidations),
    counter('parquet_cache_hits_total', 'Parquet footers found in memory', parquetCache.hits),
    counter('parquet_cache_misses_total', 'Parquet footers not in memory', parquetCache.misses),
    counter('manifest_cache_hits_total', 'Manifest resolutions found in memory', manifestCache.hits),
    counter('manifest_cache_misses_total', 'Manifest resolutions not in memory', manifestCache.misses),
    gauge('parquet_cache_size', 'Parquet footers in memory', parquetCache.size),
    gauge('manifest_cache_size', 'Manifest resolutions in memory', manifestCache.size),
  ];
}

/** Left out of an open scrape: they name tables and tenants. */
export function tableAndTenantFamilies(scans: ScanMetrics): Family[] {
  const tables = scans.tables();
  const tenants = scans.tenants();
  return [
    counterBy(
      'table',
      'table_scans_total',
      'Scans of a table',
      tables.map((t) => [t.table_id, t.scan_count]),
    ),
    gaugeBy(
      'table',
      'table_latency_p95_ms',
      'Recent scan latency of a table',
      tables.map((t) => [t.table_id, t.p95_ms]),
    ),
    gaugeBy(
      'table',
      'table_cache_hit_rate',
      'Hit rate of a table',
      tables.map((t) => [t.table_id, t.cache_hit_rate]),
    ),
    counterBy(
      'tenant',
      'tenant_scans_total',
      'Scans of a tenant',
      tenants.map((t) => [t.tenant_id, t.total_scans]),
    ),
    gaugeBy(
      'tenant',
      'tenant_cache_hit_rate',
      'Hit rate of a tenant',
      tenants.map((t) => [t.tenant_id, t.cache_hit_rate]),
    ),
    counterBy(
      'tenant',
      'tenant_bytes_total',
      'Bytes scanned by a tenant',
      tenants.map((t) => [t.tenant_id, t.bytes_from_cache + t.bytes_from_storage]),
    ),
  ];
}
