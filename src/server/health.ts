// What this server's health is made of. Each probe does a little of the real work and says what it found.
import type { StatsFs } from 'node:fs';
import fs from 'node:fs/promises';
import type { Database } from '../database/index.ts';
import type { EnginePreparation } from '../engine/index.ts';
import type { Services } from '../http/index.ts';
import type { RateLimiter } from '../limits/index.ts';
import {
  type DependencyProbe,
  type DependencyReport,
  dependencies,
  evictionStatus,
  type Metrics,
  readiness,
} from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Tables } from '../tables/index.ts';
import { version } from '../version.ts';
import type { Lifecycle } from './lifecycle.ts';

interface HealthParts {
  readonly settings: Settings;
  readonly database: Database | undefined;
  readonly engine: EnginePreparation;
  readonly limiter: RateLimiter;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly tables: Pick<Tables, 'qos' | 'cache'>;
}

export function createHealth(parts: HealthParts): Services['health'] {
  const { database, lifecycle, metrics, tables } = parts;
  const askStore = database && (() => database.get('SELECT 1 AS one', [], () => true));
  return {
    readiness: () => {
      const { qos, resource_limits, dropped_logs } = metrics.json();
      return readiness(
        {
          draining: lifecycle.draining.aborted,
          serverInitialized: true,
          interactiveSaturatedSeconds: tables.qos.saturatedSeconds('interactive'),
          bulkSaturatedSeconds: tables.qos.saturatedSeconds('bulk'),
          interactiveAvailable: qos.interactive_available,
          bulkAvailable: qos.bulk_available,
          activeScans: resource_limits.active_scans,
          droppedLogs: dropped_logs,
        },
        { metadataStore: askStore, artifactStore: askStore },
      );
    },
    dependencies: () => dependencies(probes(parts), version),
  };
}

async function roomIn(folder: string): Promise<StatsFs> {
  await fs.mkdir(folder, { recursive: true });
  return fs.statfs(folder);
}

function probes({ settings, database, engine, limiter, metrics, tables }: HealthParts): DependencyProbe[] {
  const report = (
    status: DependencyReport['status'],
    details: Record<string, unknown>,
    message?: string,
  ): DependencyReport => ({
    status,
    details,
    ...(message === undefined ? {} : { message }),
  });
  // Probes need no key: on a shared server nobody learns from them where its folders lie.
  const isOwn = settings.deploymentMode === 'personal';
  return [
    {
      name: 'disk_cache',
      async check() {
        const { bavail, bsize } = await roomIn(settings.cacheDir).catch((error: NodeJS.ErrnoException) => {
          throw isOwn ? error : new Error(`The folder of SVC_CACHE_DIR cannot be used: ${error.code}`);
        });
        const free = bavail * bsize;
        const full = free < 100 * 1024 * 1024;
        const place = isOwn ? settings.cacheDir : 'the folder of SVC_CACHE_DIR';
        const message = full ? `Less than 100 MiB are free where ${place} lies; free some space.` : undefined;
        const details = { ...(isOwn ? { path: settings.cacheDir } : {}), free_bytes: free };
        return report(full ? 'degraded' : 'healthy', details, message);
      },
    },
    {
      name: 'metadata_store',
      async check() {
        if (!database) return report('healthy', { configured: false }, 'This deployment keeps no artifact store.');
        await database.get('SELECT 1 AS one', [], () => true);
        return report('healthy', { configured: true, database: database.dialect });
      },
    },
    {
      name: 'arrow_memory',
      check() {
        const state = engine.current();
        const details = { ...metrics.json().arrow_memory, engine: state.state };
        return state.state === 'ready'
          ? report('healthy', details)
          : report('degraded', details, `The data engine is not ready: ${state.reason}`);
      },
    },
    { name: 'thread_pools', check: () => report('healthy', { ...metrics.json().thread_pools }) },
    { name: 'rate_limiter', check: () => report('healthy', { ...limiter.stats() }) },
    {
      name: 'cache_evictions',
      check: () => {
        const { evictions_count, evicted_bytes } = metrics.json().disk_cache;
        return report(evictionStatus(tables.cache.evictions.pressure()), { evictions_count, evicted_bytes });
      },
    },
  ];
}
