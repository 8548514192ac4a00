// What is said of a stored table beside its rows.
import { z } from 'zod';

/** What pandas calls the rows and columns of a frame. */
export const tableLabels = z.object({
  /** Levels of its index: a stored column, or one that is counted from the place of each row. */
  index: z.array(
    z.union([
      z.object({ name: z.string().nullable(), column: z.int() }),
      z.object({ name: z.string().nullable(), start: z.int(), step: z.int() }),
    ]),
  ),
  /** The labels of each column, one for each level. */
  heads: z.array(z.array(z.string())),
  /** The names of these levels. */
  levels: z.array(z.string().nullable()),
  /** The word of each column for what is missing. */
  missing: z.array(z.string()),
  /** What it was in its cell, such as `pandas.DataFrame`; null where nobody said. */
  source: z.string().nullable(),
  /** The type of each column, in Arrow's words. */
  types: z.array(z.string()),
});
export type TableLabels = z.infer<typeof tableLabels>;

/** One column of a view: how its values spread, and which are the most frequent. */
export const columnDetails = z.object({
  rows: z.int(),
  missing: z.int(),
  /** Null where values of this type cannot be compared. */
  distinct: z.int().nullable(),
  min: z.unknown(),
  max: z.unknown(),
  mean: z.number().nullable(),
  deviation: z.number().nullable(),
  /** At a quarter, a half and three quarters of the values in order. */
  quartiles: z.array(z.number()).nullable(),
  values: z.array(z.object({ value: z.unknown(), count: z.int() })),
});
export type ColumnDetails = z.infer<typeof columnDetails>;

/** Two tables side by side. */
export const tableComparison = z.object({
  /** The columns by which rows belong together; none where their places do. */
  key: z.array(z.string()),
  /** Both have an index, and one of them holds a value twice: rows belong together by their places. */
  repeats: z.boolean(),
  /** Those that are shown, in their order: of many, those that differ first. */
  columns: z.array(z.string()),
  /** How many columns are not shown. */
  left_out: z.int(),
  /** Of the columns, as they are now; of those that went, as they were. */
  types: z.array(z.string()),
  /** Columns that only the one of now has. */
  came: z.array(z.string()),
  /** Columns that only the other one has. */
  went: z.array(z.string()),
  /** Columns that both have, of another type each. */
  retyped: z.array(z.object({ name: z.string(), before: z.string(), after: z.string() })),
  counts: z.object({ changed: z.int(), added: z.int(), removed: z.int(), same: z.int() }),
  /** Of the rows that were asked for: all, or those that differ. */
  total: z.int(),
  rows: z.array(
    z.object({
      /** Null for a row that came. */
      before: z.array(z.unknown()).nullable(),
      /** Null for a row that went. */
      after: z.array(z.unknown()).nullable(),
      /** Places of the columns that differ. */
      changed: z.array(z.int()),
    }),
  ),
});
export type TableComparison = z.infer<typeof tableComparison>;
