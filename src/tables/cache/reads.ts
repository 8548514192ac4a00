// How often row groups came from the cache lately: in total, in three windows of time, and by table.

export interface CacheRead {
  readonly table: string;
  readonly hit: boolean;
  readonly bytes: number;
}

export interface ReadCounts {
  hits: number;
  misses: number;
  bytesFromCache: number;
  bytesFromStorage: number;
}

export interface ReadRecord {
  record(read: CacheRead): void;
  histogram(): CacheHistogram;
  reset(): void;
}

export interface CacheHistogram {
  readonly lifetime: ReturnType<typeof described>;
  readonly windows: (ReturnType<typeof described> & {
    readonly window_seconds: number;
    readonly covered_seconds: number;
    readonly miss_rate: number;
  })[];
  readonly top_tables: {
    readonly table_id: string;
    readonly hits: number;
    readonly misses: number;
    readonly total: number;
    readonly hit_rate: number;
  }[];
}

const windows = [60, 300, 3600] as const;
const bucketSeconds = 10;
const keptBuckets = 3600 / bucketSeconds;
const shownTables = 10;
const keptTables = 1000;

export function createReadRecord(now: () => number = () => Date.now() / 1000): ReadRecord {
  let lifetime = none();
  let since = now();
  /** By the ten seconds they belong to, oldest first. */
  let buckets = new Map<number, ReadCounts>();
  let tables = new Map<string, ReadCounts>();

  function countsOf<Key>(counts: Map<Key, ReadCounts>, key: Key, kept: number): ReadCounts {
    const known = counts.get(key);
    if (known) return known;
    const fresh = none();
    counts.set(key, fresh);
    const [oldest] = counts.keys();
    if (counts.size > kept && oldest !== undefined) counts.delete(oldest);
    return fresh;
  }

  return {
    record({ table, hit, bytes }) {
      const bucket = Math.floor(now() / bucketSeconds);
      for (const counts of [lifetime, countsOf(buckets, bucket, keptBuckets), countsOf(tables, table, keptTables)]) {
        if (hit) {
          counts.hits += 1;
          counts.bytesFromCache += bytes;
        } else {
          counts.misses += 1;
          counts.bytesFromStorage += bytes;
        }
      }
    },
    histogram() {
      const at = now();
      return {
        lifetime: described(lifetime),
        windows: windows.map((seconds) => {
          const inside = [...buckets].filter(([bucket]) => (bucket + 1) * bucketSeconds > at - seconds);
          const counts = described(inside.reduce((sum, [, one]) => added(sum, one), none()));
          return {
            window_seconds: seconds,
            covered_seconds: Math.min(seconds, Math.round(at - since)),
            ...counts,
            miss_rate: counts.total === 0 ? 0 : rounded(1 - counts.hits / counts.total),
          };
        }),
        top_tables: [...tables]
          .map(([table, counts]) => ({ table, ...described(counts) }))
          .sort((a, b) => b.total - a.total)
          .slice(0, shownTables)
          .map(({ table, hits, misses, total, hit_rate }) => ({ table_id: table, hits, misses, total, hit_rate })),
      };
    },
    reset() {
      lifetime = none();
      since = now();
      buckets = new Map();
      tables = new Map();
    },
  };
}

const none = (): ReadCounts => ({ hits: 0, misses: 0, bytesFromCache: 0, bytesFromStorage: 0 });

const added = (a: ReadCounts, b: ReadCounts): ReadCounts => ({
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  bytesFromCache: a.bytesFromCache + b.bytesFromCache,
  bytesFromStorage: a.bytesFromStorage + b.bytesFromStorage,
});

const rounded = (rate: number): number => Math.round(rate * 10_000) / 10_000;

function described({ hits, misses, bytesFromCache, bytesFromStorage }: ReadCounts) {
  const total = hits + misses;
  return {
    hits,
    misses,
    total,
    hit_rate: total === 0 ? 0 : rounded(hits / total),
    bytes_from_cache: bytesFromCache,
    bytes_from_storage: bytesFromStorage,
  };
}
