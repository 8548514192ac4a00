// The cache of decoded row groups: what lies in it, how it does, and reading ahead.
import { z } from 'zod';

export const cacheStatsBody = z.object({
  total_entries: z.int(),
  total_size_bytes: z.int(),
  max_size_bytes: z.int(),
  usage_percent: z.number(),
  oldest_entry: z.number().nullable(),
  newest_entry: z.number().nullable(),
  entries_by_table: z.record(z.string(), z.int()),
});

export const cacheEntry = z.object({
  table_id: z.string(),
  file_path: z.string(),
  row_group_id: z.int(),
  columns: z.array(z.string()).nullable(),
  num_rows: z.int(),
  size_bytes: z.int(),
  created_at: z.number(),
});

export const cacheEntriesBody = z.object({ entries: z.array(cacheEntry) });

export const cacheEvictionsBody = z.object({
  total_evictions: z.int(),
  total_files_evicted: z.int(),
  total_bytes_evicted: z.int(),
  evictions_last_minute: z.int(),
  evictions_last_hour: z.int(),
  bytes_evicted_last_minute: z.int(),
  bytes_evicted_last_hour: z.int(),
  eviction_rate_per_minute: z.number(),
  last_eviction_at: z.number().nullable(),
  pressure_level: z.enum(['low', 'medium', 'high', 'critical']),
  recent_events: z.array(
    z.object({
      timestamp: z.number(),
      files_evicted: z.int(),
      bytes_evicted: z.int(),
      cache_size_before: z.int(),
      cache_size_after: z.int(),
      reason: z.literal('size_limit'),
    }),
  ),
});

const reads = z.object({
  hits: z.int(),
  misses: z.int(),
  total: z.int(),
  hit_rate: z.number(),
  bytes_from_cache: z.int(),
  bytes_from_storage: z.int(),
});

export const cacheHistogramBody = z.object({
  lifetime: reads,
  windows: z.array(reads.extend({ window_seconds: z.int(), covered_seconds: z.int(), miss_rate: z.number() })),
  top_tables: z.array(
    z.object({ table_id: z.string(), hits: z.int(), misses: z.int(), total: z.int(), hit_rate: z.number() }),
  ),
});

export const cacheClearedBody = z.object({ status: z.literal('cleared') });

export const cacheInspectBody = z.object({
  cache_version: z.int(),
  cache_dir: z.string(),
  entries: z.array(
    z.object({
      hash: z.string(),
      hash_prefix: z.string(),
      file_path: z.string(),
      file_exists: z.boolean(),
      file_size_bytes: z.int(),
      metadata: cacheEntry,
    }),
  ),
  total_matched: z.int(),
  truncated: z.boolean(),
  prefix_filter: z.string().optional(),
  table_id_filter: z.string().optional(),
  snapshot_id_filter: z.string().optional(),
});

export const warmRequest = z.object({
  tables: z.array(z.string()),
  columns: z.array(z.string()).nullable().default(null),
  max_row_groups: z.int().min(1).nullable().default(null),
  concurrent: z.int().min(1).max(64).default(4),
});

export const warmAsyncRequest = warmRequest.extend({
  /** A 64-bit number, as such or as text. */
  snapshot_id: z
    .union([z.int(), z.string().regex(/^-?\d{1,19}$/)])
    .nullable()
    .default(null),
  priority: z.int().default(0),
});

export const warmBody = z.object({
  tables_warmed: z.int(),
  row_groups_cached: z.int(),
  row_groups_skipped: z.int(),
  bytes_written: z.int(),
  elapsed_ms: z.number(),
  errors: z.array(z.string()),
});

export const warmStartedBody = z.object({
  job_id: z.string(),
  status: z.literal('pending'),
  tables_count: z.int(),
  message: z.string(),
});

export const warmJobBody = z.object({
  job_id: z.string(),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']),
  tables_total: z.int(),
  tables_completed: z.int(),
  row_groups_total: z.int(),
  row_groups_completed: z.int(),
  row_groups_cached: z.int(),
  row_groups_skipped: z.int(),
  bytes_written: z.int(),
  started_at: z.number().nullable(),
  completed_at: z.number().nullable(),
  elapsed_ms: z.number(),
  current_table: z.string().nullable(),
  errors: z.array(z.string()),
});

export const warmJobsBody = z.object({ jobs: z.array(warmJobBody) });
export const warmCancelledBody = z.object({ cancelled: z.literal(true), message: z.string() });

const memoryCache = z.object({
  size: z.int(),
  max_size: z.int(),
  hits: z.int(),
  misses: z.int(),
  hit_rate: z.number(),
  updates: z.int(),
  evictions: z.int(),
});

export const metadataStatsBody = z.object({
  parquet_cache: memoryCache,
  manifest_cache: z.object({ unfiltered: memoryCache, filtered: memoryCache }),
  metadata_store: z.looseObject({}).nullable(),
});

export const metadataCleanupBody = z.object({ status: z.literal('completed'), stale_entries_removed: z.int() });
