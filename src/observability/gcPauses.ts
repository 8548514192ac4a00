/**
 * Pauses of V8's garbage collector, in the three generations of the protocol: minor collections are generation 0,
 * incremental and weak-callback steps 1, major collections 2. Totals are kept for ever, single pauses for a while.
 */
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import type { GcGenerationStats, GcPausesBody } from '../protocol/index.ts';
import { createRecentSamples } from './percentiles.ts';

export type GcGeneration = 0 | 1 | 2;

export interface GcPause {
  /** Epoch seconds. */
  readonly timestamp: number;
  readonly generation: GcGeneration;
  readonly duration_ms: number;
}

export interface GcPauses {
  record(pause: GcPause): void;
  /** The newest pauses, oldest first, and the totals. */
  snapshot(limit?: number): GcPausesBody;
  /** Listens to this process's collector; the answer stops it. */
  watch(): () => void;
}

const keptPauses = 1000;
const defaultLimit = 100;

export function createGcPauses(): GcPauses {
  const pauses: GcPause[] = [];
  const recent = createRecentSamples(keptPauses);
  const generations = [emptyGeneration(), emptyGeneration(), emptyGeneration()] as const;

  function record(pause: GcPause): void {
    if (pauses.length === keptPauses) pauses.shift();
    pauses.push(pause);
    recent.add(pause.duration_ms);
    const stats = generations[pause.generation];
    stats.count += 1;
    stats.total_ms += pause.duration_ms;
    stats.max_ms = Math.max(stats.max_ms, pause.duration_ms);
    stats.avg_ms = stats.total_ms / stats.count;
  }

  function snapshot(limit = defaultLimit): GcPausesBody {
    const [gen0, gen1, gen2] = generations;
    const [p50_ms = 0, p95_ms = 0, p99_ms = 0] = recent.percentiles(50, 95, 99);
    return {
      pauses: pauses.slice(Math.max(0, pauses.length - limit)),
      stats: {
        total_pauses: gen0.count + gen1.count + gen2.count,
        total_pause_ms: gen0.total_ms + gen1.total_ms + gen2.total_ms,
        max_pause_ms: Math.max(gen0.max_ms, gen1.max_ms, gen2.max_ms),
        gen0: { ...gen0 },
        gen1: { ...gen1 },
        gen2: { ...gen2 },
        recent: { count: recent.size(), p50_ms, p95_ms, p99_ms },
      },
    };
  }

  function watch(): () => void {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        record({
          timestamp: (performance.timeOrigin + entry.startTime) / 1000,
          generation: generationOf(collectionKind(entry)),
          duration_ms: entry.duration,
        });
      }
    });
    observer.observe({ entryTypes: ['gc'] });
    return () => observer.disconnect();
  }

  return { record, snapshot, watch };
}

export function generationOf(kind: number): GcGeneration {
  switch (kind) {
    case constants.NODE_PERFORMANCE_GC_MAJOR:
      return 2;
    case constants.NODE_PERFORMANCE_GC_INCREMENTAL:
    case constants.NODE_PERFORMANCE_GC_WEAKCB:
      return 1;
    default:
      return 0;
  }
}

/** Entries of type `gc` carry a `detail` that the common entry type does not declare. */
function collectionKind(entry: object): number {
  if (!('detail' in entry)) return constants.NODE_PERFORMANCE_GC_MINOR;
  const { detail } = entry;
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return typeof kind === 'number' ? kind : constants.NODE_PERFORMANCE_GC_MINOR;
}

function emptyGeneration(): GcGenerationStats {
  return { count: 0, total_ms: 0, max_ms: 0, avg_ms: 0 };
}
