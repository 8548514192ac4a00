/** Latency histograms of the stages of a scan. A stage that never recorded is absent from the snapshot. */
import type { LatencyBody, LatencyHistogram, LatencyStage } from '../protocol/index.ts';

export interface Latency {
  record(stage: LatencyStage, milliseconds: number): void;
  snapshot(): LatencyBody;
}

const bounds = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000] as const;

interface Histogram {
  /** One more than the bounds: the last bucket has no upper end. */
  readonly counts: number[];
  count: number;
  sum: number;
  max: number;
}

export function createLatency(): Latency {
  const stages = new Map<LatencyStage, Histogram>();
  return {
    record(stage, milliseconds) {
      let histogram = stages.get(stage);
      if (!histogram) {
        histogram = { counts: new Array<number>(bounds.length + 1).fill(0), count: 0, sum: 0, max: 0 };
        stages.set(stage, histogram);
      }
      const found = bounds.findIndex((bound) => milliseconds <= bound);
      const bucket = found === -1 ? bounds.length : found;
      histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
      histogram.count += 1;
      histogram.sum += milliseconds;
      histogram.max = Math.max(histogram.max, milliseconds);
    },
    snapshot() {
      const histograms: LatencyBody['histograms'] = {};
      for (const [stage, histogram] of stages) histograms[stage] = describe(histogram);
      return { histograms };
    },
  };
}

function describe(histogram: Histogram): LatencyHistogram {
  const buckets: Record<string, number> = {};
  let below = 0;
  for (const [index, count] of histogram.counts.entries()) {
    below += count;
    buckets[String(bounds[index] ?? '+Inf')] = below;
  }
  return {
    buckets,
    count: histogram.count,
    sum_ms: histogram.sum,
    avg_ms: histogram.sum / histogram.count,
    max_ms: histogram.max,
    percentiles: { p50: estimate(histogram, 50), p95: estimate(histogram, 95), p99: estimate(histogram, 99) },
  };
}

/** As if the measurements of a bucket were spread evenly over it. */
function estimate(histogram: Histogram, rank: number): number {
  const wanted = (rank / 100) * histogram.count;
  let below = 0;
  for (const [index, count] of histogram.counts.entries()) {
    if (count > 0 && below + count >= wanted) {
      const lower = bounds[index - 1] ?? 0;
      const upper = Math.min(bounds[index] ?? histogram.max, histogram.max);
      return lower + Math.max(0, upper - lower) * ((wanted - below) / count);
    }
    below += count;
  }
  return histogram.max;
}
