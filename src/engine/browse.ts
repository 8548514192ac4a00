// Looking into a stored table by the data process: a page, a summary, an export.
import { z } from 'zod';
import { refusals } from '../errors/index.ts';
import { columnDetails, tableComparison, tableLabels } from '../protocol/index.ts';
import type { Engine } from './engine.ts';
import { EngineRefused, EngineTimeout } from './errors.ts';

export interface TableView {
  /** The stored Arrow stream. */
  readonly file: string;
  readonly filters: readonly TableFilter[];
  readonly search: string | null;
  readonly sortBy: string | null;
  readonly sortDir: 'asc' | 'desc';
}

export type TableFilter = Readonly<Record<string, string | number | boolean | null>>;

const page = z.object({
  /** False when the value is no table. */
  pageable: z.boolean(),
  columns: z.array(z.string()),
  rows: z.array(z.array(z.unknown())),
  total: z.int(),
  /** Only where exact values were asked for. */
  labels: tableLabels.optional(),
  /** Where each row lies in the whole table. */
  positions: z.array(z.int()).optional(),
});

const summary = z.object({
  pageable: z.boolean(),
  columns: z.array(
    z.object({
      name: z.string(),
      dtype: z.string(),
      nulls: z.int(),
      distinct: z.int().nullable(),
      min: z.unknown(),
      max: z.unknown(),
      /** Only when it was asked for; null where values have no order. */
      histogram: z.array(z.int()).nullable().optional(),
    }),
  ),
  total: z.int(),
});

/** Large tables take their time to sort; the first answer also waits for imports. */
const timeoutMs = 120_000;

type Asks = Pick<Engine, 'request'>;

/** `exact`: nulls stay apart from empty texts, and the table's own labels come along. */
export const browseTable = (engine: Asks, view: TableView, offset: number, limit: number, exact = false) =>
  orRefused(
    engine.request(
      'browse',
      { ...view, filters: [...view.filters], offset, limit, exact },
      { schema: page, timeoutMs },
    ),
  );

export const summariseTable = (engine: Asks, file: string, bins: number, signal: AbortSignal) =>
  orRefused(engine.request('summarise', { file, bins }, { schema: summary, timeoutMs, signal }));

/** Of the rows that the view leaves; `most` of its values. */
export const describeColumn = (engine: Asks, view: TableView, column: string, most: number) => {
  const params = { ...view, filters: [...view.filters], column, most };
  return orRefused(engine.request('describe', params, { schema: columnDetails.nullable(), timeoutMs }));
};

export interface ComparedPage {
  readonly offset: number;
  readonly limit: number;
  readonly onlyDifferent: boolean;
}

/** A stored table, beside what it was before; null where one of them is no table. */
export const compareTables = (engine: Asks, before: string, file: string, page: ComparedPage) =>
  orRefused(engine.request('compare', { before, file, ...page }, { schema: tableComparison.nullable(), timeoutMs }));

/** All that there is of a table. */
export const wholeTable = (file: string): TableView => ({
  file,
  filters: [],
  search: null,
  sortBy: null,
  sortDir: 'asc',
});

export const exportTable = async (
  engine: Asks,
  view: TableView,
  format: 'csv' | 'parquet',
  target: string,
): Promise<boolean> => {
  const params = { ...view, filters: [...view.filters], format, target };
  const { exported } = await orRefused(
    engine.request('export', params, { schema: z.object({ exported: z.boolean() }), timeoutMs }),
  );
  return exported;
};

/** What the process cannot do with this table is the table's or the question's matter, and is said with its reason. */
async function orRefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof EngineTimeout) throw refusals.tableTookTooLong(timeoutMs / 1000);
    if (!(error instanceof EngineRefused)) throw error;
    if (error.type === 'FrameTooLarge') throw refusals.pageTooLarge();
    throw /MemoryError$/.test(error.type) ? refusals.tableTooLarge() : refusals.tableNotBrowsable(error.reason);
  }
}
