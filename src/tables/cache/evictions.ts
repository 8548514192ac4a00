// What the cache threw out lately, and how hard it is pressed for room.
import type { EvictionPressure } from '../../observability/index.ts';

export interface EvictionEvent {
  readonly timestamp: number;
  readonly files_evicted: number;
  readonly bytes_evicted: number;
  readonly cache_size_before: number;
  readonly cache_size_after: number;
  readonly reason: 'size_limit';
}

export interface EvictionRecord {
  record(sweep: { files: number; bytes: number; before: number; after: number }): void;
  perMinute(): number;
  pressure(): EvictionPressure;
  summary(recent: number): EvictionSummary;
  reset(): void;
}

export interface EvictionSummary {
  readonly total_evictions: number;
  readonly total_files_evicted: number;
  readonly total_bytes_evicted: number;
  readonly evictions_last_minute: number;
  readonly evictions_last_hour: number;
  readonly bytes_evicted_last_minute: number;
  readonly bytes_evicted_last_hour: number;
  readonly eviction_rate_per_minute: number;
  readonly last_eviction_at: number | null;
  readonly pressure_level: EvictionPressure;
  readonly recent_events: EvictionEvent[];
}

const keptEvents = 10_000;
const minute = 60;
const hour = 3600;

export function createEvictionRecord(now: () => number = () => Date.now() / 1000): EvictionRecord {
  let events: EvictionEvent[] = [];
  let totals = { sweeps: 0, files: 0, bytes: 0 };
  const since = (age: number): EvictionEvent[] => {
    const from = now() - age;
    return events.filter(({ timestamp }) => timestamp >= from);
  };
  const bytesOf = (some: readonly EvictionEvent[]): number => some.reduce((sum, one) => sum + one.bytes_evicted, 0);
  const perMinute = (): number => since(minute).length;
  const pressure = (): EvictionPressure => {
    const rate = perMinute();
    if (rate < 1) return 'low';
    if (rate < 5) return 'medium';
    return rate < 10 ? 'high' : 'critical';
  };
  return {
    record({ files, bytes, before, after }) {
      totals = { sweeps: totals.sweeps + 1, files: totals.files + files, bytes: totals.bytes + bytes };
      events.push({
        timestamp: now(),
        files_evicted: files,
        bytes_evicted: bytes,
        cache_size_before: before,
        cache_size_after: after,
        reason: 'size_limit',
      });
      if (events.length > keptEvents) events = events.slice(-keptEvents / 2);
    },
    perMinute,
    pressure,
    summary(recent) {
      const [lastMinute, lastHour] = [since(minute), since(hour)];
      return {
        total_evictions: totals.sweeps,
        total_files_evicted: totals.files,
        total_bytes_evicted: totals.bytes,
        evictions_last_minute: lastMinute.length,
        evictions_last_hour: lastHour.length,
        bytes_evicted_last_minute: bytesOf(lastMinute),
        bytes_evicted_last_hour: bytesOf(lastHour),
        eviction_rate_per_minute: lastMinute.length,
        last_eviction_at: events.at(-1)?.timestamp ?? null,
        pressure_level: pressure(),
        recent_events: recent === 0 ? [] : events.slice(-recent).reverse(),
      };
    },
    reset() {
      events = [];
      totals = { sweeps: 0, files: 0, bytes: 0 };
    },
  };
}
