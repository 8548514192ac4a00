// Everything about tables, put together from the settings: planning, the cache, places, scans, warming.
import type { Artifacts } from '../artifacts/index.ts';
import type { Credentials } from '../credentials/index.ts';
import { createEnginePool, type Engine, type EnginePool } from '../engine/index.ts';
import type { Latency, Log, Metrics } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import { createReadRecord, type ReadRecord } from './cache/reads.ts';
import { createRowGroupCache, type RowGroupCache } from './cache/rowGroupCache.ts';
import { createCatalogs } from './catalogs/catalogs.ts';
import { createSqliteCatalogs } from './catalogs/sqliteCatalog.ts';
import { type Asks, prepareReader } from './engine.ts';
import { createAdaptive } from './qos/adaptive.ts';
import { createQos, type Qos } from './qos/qos.ts';
import { createTableQueries, type TableQueries } from './queries.ts';
import { createPlanner, type Planner } from './scan/plan.ts';
import { createRowGroupReader, type RowGroupReader } from './scan/readRowGroup.ts';
import { type AdmitBuild, createScans, type Scans } from './scan/scans.ts';
import { createWarming, type Warming } from './warm.ts';
import { createWrites, type Writes } from './writes.ts';

export interface Tables {
  readonly planner: Planner;
  readonly cache: RowGroupCache;
  readonly reader: RowGroupReader;
  readonly qos: Qos;
  readonly scans: Scans;
  readonly queries: TableQueries;
  readonly writes: Writes;
  readonly reads: ReadRecord;
  readonly warming: Warming;
  close(): Promise<void>;
}

export interface TablesParts {
  readonly settings: Settings;
  readonly credentials: Pick<Credentials, 'catalogs' | 'fieldsOf'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly latency: Latency;
  readonly artifacts: Artifacts | undefined;
  /** A place for a scan that is built with nobody watching, where builds have places. */
  readonly admitBuild: AdmitBuild;
  /** The process that plans; refuses while the environment is not there. */
  readonly planning: () => Asks;
  /** A process that decodes. */
  readonly createReader: () => Engine;
}

/** Processes that decode are let go after this. */
const idleMs = 60_000;

export function createTables(parts: TablesParts): Tables {
  const { settings, log, metrics, latency, artifacts, admitBuild } = parts;
  const sqlite = createSqliteCatalogs();
  const catalogs = createCatalogs(settings, parts.credentials);
  const pool = createEnginePool({
    // Whatever the number of cores: most of a fetch is waiting for a store. One scan has `fetchParallelism` of them at a time.
    size: settings.maxFetchWorkers,
    create: parts.createReader,
    prepare: prepareReader,
    idleMs,
  });
  const planner = createPlanner({ settings, engine: parts.planning, sqlite, catalogs, onUnknown: pool.wake });
  const cache = createRowGroupCache({
    cacheDir: settings.cacheDir,
    maxBytes: settings.maxCacheSizeBytes,
    log,
    onEvicted: metrics.cacheEvicted,
  });
  const qos = createQos(settings);
  const adaptive = createAdaptive(settings, qos);
  const readers = (): Asks => pool;
  const reads = createReadRecord();
  const onFetch = (milliseconds: number): void => latency.record('fetch', milliseconds);
  const reader = createRowGroupReader({ settings, readers, cache, metrics, reads, onFetch });
  const onPlanned = (milliseconds: number): void => latency.record('plan', milliseconds);
  const scans = createScans({
    settings,
    planner,
    reader,
    readers,
    qos,
    artifacts,
    admitBuild,
    metrics,
    onPlanned,
    log,
  });

  const queries = createTableQueries({ settings, planner, reader, engine: readers });
  const warming = createWarming(planner, reader);

  metrics.provide({
    qos: qos.metrics,
    adaptive: adaptive.metrics,
    threadPools: () => ({
      planning: poolState('planning', { size: 1, ...planner.work() }),
      fetch: poolState('fetch', pool),
    }),
    diskCache: () => {
      const { bytes, entries } = cache.size();
      return {
        bytesCurrent: bytes,
        entriesCurrent: entries,
        bytesMax: settings.maxCacheSizeBytes,
        evictionsPerMinute: cache.evictions.perMinute(),
        pressure: cache.evictions.pressure(),
      };
    },
  });

  return {
    planner,
    cache,
    reader,
    qos,
    scans,
    queries,
    writes: createWrites(settings, catalogs, parts.planning),
    reads,
    warming,
    async close() {
      await scans.close();
      warming.close();
      adaptive.close();
      await pool.close();
      await cache.close();
      sqlite.close();
    },
  };
}

/** Processes as the pools that the protocol speaks of. */
function poolState(
  name: string,
  { size, busy, waiting, submitted }: Pick<EnginePool, 'size' | 'busy' | 'waiting' | 'submitted'>,
) {
  return {
    name,
    max_workers: size,
    active_workers: busy,
    queue_depth: waiting,
    utilization_pct: (busy / size) * 100,
    tasks_completed: submitted - busy - waiting,
    tasks_submitted: submitted,
  };
}
