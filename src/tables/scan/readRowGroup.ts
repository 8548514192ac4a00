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
import type { Plan, Task } from './plan.ts';

export interface RowGroupReader {
  read(plan: Plan, task: Task, tenant: string, signal: AbortSignal): Promise<HeldRowGroup>;
}

export interface ReaderParts {
  readonly settings: Settings;
  readonly readers: () => Asks;
  readonly cache: RowGroupCache;
  readonly metrics: Pick<Metrics, 'cacheHit' | 'cacheMiss' | 'cacheWritten'>;
  readonly reads: ReadRecord;
  readonly onFetch: (milliseconds: number) => void;
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

  const reading = (plan: Plan, { columns, filtered }: Cut): TableReading => ({
    ...plan.table,
    columns,
    filters: filtered ? plan.table.filters : noFilters,
  });

  async function take(plan: Plan, task: Task, tenant: string, cut: Cut, signal: AbortSignal): Promise<HeldRowGroup> {
    const facts = {
      tenant,
      table: plan.identity,
      dataFile: task.file.path,
      rowGroup: task.group.index,
      columns: cut.columns.length === 0 ? null : cut.columns,
    };
    const write = (target: string): Promise<Written> => make(plan, task, tenant, cut, target, signal);
    return cache.take(cacheKey(tenant, plan, task, cut), facts, write, signal);
  }

  async function make(
    plan: Plan,
    task: Task,
    tenant: string,
    cut: Cut,
    target: string,
    signal: AbortSignal,
  ): Promise<Written> {
    const limits = { timeoutMs, signal };
    const source = await sourceOf(plan, task, tenant, cut, signal);
    if (!source) {
      return readRowGroup(readers(), reading(plan, cut), task.file, task.group, { batchSize, target }, limits);
    }
    const { held, columns } = source;
    try {
      const from = { source: held.file, sourceColumns: columns, target };
      return await narrowRowGroup(readers(), reading(plan, cut), from, limits);
    } finally {
      held.release();
    }
  }

  /** A cached row group that holds what is wanted and more. */
  async function sourceOf(plan: Plan, task: Task, tenant: string, cut: Cut, signal: AbortSignal) {
    if (cut.columns.length === 0 && !cut.filtered) return undefined;
    if (wholeGroups) return { held: await take(plan, task, tenant, everything, signal), columns: [] };
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
      try {
        const held = await take(
          plan,
          task,
          tenant,
          { columns: plan.request.columns, filtered: !task.group.all },
          signal,
        );
        reads.record({ table: plan.identity, hit: held.hit, bytes: held.bytes });
        if (held.hit) {
          metrics.cacheHit({ ...scan, bytes: held.bytes });
        } else {
          metrics.cacheMiss({ ...scan, bytes: held.bytes, rows: held.rows });
          metrics.cacheWritten({ bytes: held.bytes });
          onFetch(performance.now() - began);
        }
        return held;
      } catch (error) {
        if (isTimeout(error) && !signal.aborted) throw refusals.fetchTimedOut(settings.fetchTimeoutSeconds);
        throw meaningOf(error, plan.address.uri);
      }
    },
  };
}
