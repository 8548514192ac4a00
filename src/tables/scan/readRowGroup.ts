// One row group of a scan as a file of Arrow batches: from the cache, cut out of a cached one, or decoded from its data file.
import { refusals } from '../../errors/index.ts';
import type { Metrics } from '../../observability/index.ts';
import type { Settings } from '../../settings/index.ts';
import { type Cut, cacheKey } from '../cache/cacheKey.ts';
import type { ReadRecord } from '../cache/reads.ts';
import type { HeldRowGroup, RowGroupCache } from '../cache/rowGroupCache.ts';
import {
  type Asks,
  isTimeout,
  meaningOf,
  narrowRowGroup,
  readRowGroup,
  type TableReading,
  type Written,
} from '../engine.ts';
import type { ScanPlan, Task } from './plan.ts';

export interface RowGroupReader {
  read(plan: ScanPlan, task: Task, tenant: string, signal: AbortSignal): Promise<HeldRowGroup>;
}

export interface ReaderParts {
  readonly settings: Settings;
  readonly readers: () => Asks;
  readonly cache: RowGroupCache;
  readonly metrics: Pick<Metrics, 'cacheHit' | 'cacheMiss' | 'cacheWritten'>;
  readonly reads: ReadRecord;
  readonly onFetch: (milliseconds: number) => void;
}

/** What one read came to. */
interface Made {
  /** What was read from the data file: the whole row group, where whole ones are kept. */
  fetched: Written | undefined;
  /** Written to the cache. */
  bytes: number;
  fromCached: boolean;
}

const everything: Cut = { columns: [], filtered: false };
const noFilters = '[]';

export function createRowGroupReader({
  settings,
  readers,
  cache,
  metrics,
  reads,
  onFetch,
}: ReaderParts): RowGroupReader {
  const timeoutMs = settings.fetchTimeoutSeconds * 1000;
  const { batchSize } = settings;
  const wholeGroups = settings.cacheGranularity === 'row_group';

  const reading = (plan: ScanPlan, { columns, filtered }: Cut): TableReading => ({
    ...plan.table,
    columns,
    filters: filtered ? plan.table.filters : noFilters,
  });

  async function take(
    plan: ScanPlan,
    task: Task,
    tenant: string,
    cut: Cut,
    signal: AbortSignal,
    made: Made,
  ): Promise<HeldRowGroup> {
    const facts = {
      tenant,
      table: plan.identity,
      dataFile: task.file.path,
      rowGroup: task.group.index,
      columns: cut.columns.length === 0 ? null : cut.columns,
    };
    const write = (target: string): Promise<Written> => make(plan, task, tenant, cut, target, signal, made);
    return cache.take(cacheKey(tenant, plan, task, cut), facts, write, signal);
  }

  async function make(
    plan: ScanPlan,
    task: Task,
    tenant: string,
    cut: Cut,
    target: string,
    signal: AbortSignal,
    made: Made,
  ): Promise<Written> {
    const limits = { timeoutMs, signal };
    const source = await sourceOf(plan, task, tenant, cut, signal, made);
    if (!source) {
      const place = { batchSize, target };
      made.fetched = await readRowGroup(readers(), reading(plan, cut), task.file, task.group, place, limits);
      made.bytes += made.fetched.bytes;
      return made.fetched;
    }
    const { held, columns } = source;
    try {
      const from = { source: held.file, sourceColumns: columns, target };
      const cutOut = await narrowRowGroup(readers(), reading(plan, cut), from, limits);
      made.bytes += cutOut.bytes;
      made.fromCached = source.held.hit;
      return cutOut;
    } finally {
      held.release();
    }
  }

  /** A cached row group that holds what is wanted and more. */
  async function sourceOf(plan: ScanPlan, task: Task, tenant: string, cut: Cut, signal: AbortSignal, made: Made) {
    if (cut.columns.length === 0 && !cut.filtered) return undefined;
    if (wholeGroups) return { held: await take(plan, task, tenant, everything, signal, made), columns: [] };
    const whole = await cache.peek(cacheKey(tenant, plan, task, everything));
    if (whole) return { held: whole, columns: [] };
    const filterable = plan.request.filters.every(({ column }) => cut.columns.includes(column));
    if (!cut.filtered || !filterable) return undefined;
    const unfiltered = await cache.peek(cacheKey(tenant, plan, task, { ...cut, filtered: false }));
    return unfiltered && { held: unfiltered, columns: cut.columns };
  }

  return {
    async read(plan, task, tenant, signal) {
      const scan = { table: plan.identity, tenant };
      const began = performance.now();
      const made: Made = { fetched: undefined, bytes: 0, fromCached: false };
      try {
        const held = await take(
          plan,
          task,
          tenant,
          { columns: plan.request.columns, filtered: !task.group.all },
          signal,
          made,
        );
        // What was cut out of a cached row group did not come from the table.
        const hit = held.hit || made.fromCached;
        const { bytes, rows } = hit ? held : (made.fetched ?? held);
        reads.record({ table: plan.identity, hit, bytes });
        if (hit) metrics.cacheHit({ ...scan, bytes });
        else {
          metrics.cacheMiss({ ...scan, bytes, rows });
          onFetch(performance.now() - began);
        }
        if (made.bytes > 0) metrics.cacheWritten({ bytes: made.bytes });
        return held;
      } catch (error) {
        if (isTimeout(error) && !signal.aborted) throw refusals.fetchTimedOut(settings.fetchTimeoutSeconds);
        throw meaningOf(error, plan.address.uri);
      }
    },
  };
}
