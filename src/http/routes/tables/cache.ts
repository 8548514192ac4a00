// The cache of row groups as operators see it.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import {
  cacheClearedBody,
  cacheEntriesBody,
  type cacheEntry,
  cacheEvictionsBody,
  cacheHistogramBody,
  cacheInspectBody,
  cacheStatsBody,
  metadataCleanupBody,
  metadataStatsBody,
  queryBool,
  queryInt,
} from '../../../protocol/index.ts';
import { cacheVersion, type KeptStats, type StoredEntry } from '../../../tables/index.ts';
import { anyCaller, needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';

const tags = ['cache'];

export function cacheRoutes(app: App, { tables, settings, metrics }: Services): void {
  const { cache, reads, planner } = tables;

  app.get(
    '/v1/cache/stats',
    {
      config: needs('admin:cache'),
      schema: { tags, summary: 'Size of the cache, by table', response: { 200: cacheStatsBody } },
    },
    async () => {
      const entries = await cache.entries();
      const { bytes } = cache.size();
      const created = entries.map(({ createdAt }) => createdAt);
      const byTable = Map.groupBy(entries, ({ table }) => table);
      return {
        total_entries: entries.length,
        total_size_bytes: bytes,
        max_size_bytes: settings.maxCacheSizeBytes,
        usage_percent: settings.maxCacheSizeBytes === 0 ? 0 : (bytes / settings.maxCacheSizeBytes) * 100,
        oldest_entry: smallest(created),
        newest_entry: smallest(
          created.map((moment) => -moment),
          -1,
        ),
        entries_by_table: Object.fromEntries([...byTable].map(([table, some]) => [table, some.length])),
      };
    },
  );

  app.get(
    '/v1/cache/entries',
    {
      config: needs('admin:cache'),
      schema: { tags, summary: 'Everything in the cache', response: { 200: cacheEntriesBody } },
    },
    async () => ({ entries: (await cache.entries()).map(shown) }),
  );

  app.get(
    '/v1/cache/histogram',
    {
      config: needs('admin:cache'),
      schema: { tags, summary: 'How often row groups came from the cache', response: { 200: cacheHistogramBody } },
    },
    async () => reads.histogram(),
  );

  app.get(
    '/v1/cache/evictions',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'What left the cache lately, and how pressed it is',
        querystring: z.object({
          include_events: queryBool().default(false),
          limit: queryInt({ min: 1, max: 100 }).default(10),
        }),
        response: { 200: cacheEvictionsBody },
      },
    },
    async ({ query }) => cache.evictions.summary(query.include_events ? query.limit : 0),
  );

  app.post(
    '/v1/cache/clear',
    { config: needs('admin:cache'), schema: { tags, summary: 'Empty the cache', response: { 200: cacheClearedBody } } },
    async () => {
      await cache.clear();
      reads.reset();
      metrics.resetScans();
      return { status: 'cleared' as const };
    },
  );

  app.get(
    '/v1/debug/cache/inspect',
    {
      config: needs('admin:cache'),
      schema: {
        tags,
        summary: 'Entries of the cache with their files',
        querystring: z.object({
          prefix: z.string().optional(),
          table_id: z.string().optional(),
          snapshot_id: z.string().optional(),
          limit: queryInt({ min: 1, max: 1000 }).default(100),
        }),
        response: { 200: cacheInspectBody },
      },
    },
    async ({ query: { prefix, table_id, snapshot_id, limit } }) => {
      // Entries know no snapshot, so none matches one.
      const matched = (snapshot_id === undefined ? await cache.entries() : []).filter(
        ({ key, table }) => key.startsWith(prefix ?? '') && (table_id === undefined || table === table_id),
      );
      return {
        cache_version: cacheVersion,
        cache_dir: settings.cacheDir,
        entries: await Promise.all(matched.slice(0, limit).map((entry) => inspected(entry, settings.cacheDir))),
        total_matched: matched.length,
        truncated: matched.length > limit,
        ...(prefix === undefined ? {} : { prefix_filter: prefix }),
        ...(table_id === undefined ? {} : { table_id_filter: table_id }),
        ...(snapshot_id === undefined ? {} : { snapshot_id_filter: snapshot_id }),
      };
    },
  );

  app.get(
    '/v1/metadata/stats',
    {
      config: anyCaller(),
      schema: { tags, summary: 'What is remembered of table metadata', response: { 200: metadataStatsBody } },
    },
    async () => {
      const { unfiltered, filtered, footers } = planner.stats();
      return {
        parquet_cache: counted(footers),
        manifest_cache: { unfiltered: counted(unfiltered), filtered: counted(filtered) },
        metadata_store: null,
      };
    },
  );

  app.post(
    '/v1/metadata/cleanup',
    {
      config: needs('admin:cache'),
      schema: { tags, summary: 'Forget remembered table metadata', response: { 200: metadataCleanupBody } },
    },
    async () => ({ status: 'completed' as const, stale_entries_removed: planner.clear() }),
  );
}

const smallest = (numbers: readonly number[], sign = 1): number | null =>
  numbers.length === 0 ? null : sign * numbers.reduce((least, one) => Math.min(least, one));

const shown = ({
  table,
  dataFile,
  rowGroup,
  columns,
  rows,
  bytes,
  createdAt,
}: StoredEntry): z.infer<typeof cacheEntry> => ({
  table_id: table,
  file_path: dataFile,
  row_group_id: rowGroup,
  columns: columns === null ? null : [...columns],
  num_rows: rows,
  size_bytes: bytes,
  created_at: createdAt,
});

async function inspected(entry: StoredEntry, cacheDir: string) {
  const found = await stat(entry.file).catch(() => undefined);
  return {
    hash: entry.key,
    hash_prefix: entry.key.slice(0, 8),
    file_path: path.relative(cacheDir, entry.file),
    file_exists: found !== undefined,
    file_size_bytes: found?.size ?? 0,
    metadata: shown(entry),
  };
}

function counted({ size, maxSize, hits, misses, evictions }: KeptStats) {
  const total = hits + misses;
  const hit_rate = total === 0 ? 0 : Math.round((hits / total) * 10_000) / 10_000;
  return { size, max_size: maxSize, hits, misses, hit_rate, updates: misses, evictions };
}
