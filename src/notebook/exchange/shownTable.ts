// A table as it is read on paper: what stands for the rows comes first, and what only Arrow calls by a name has none.
import type { CellRecord } from '../../protocol/index.ts';

type Display = CellRecord['display_outputs'][number];

export interface ShownTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
}

export function shownTable({ content_type, preview, columns, rows, index_columns }: Display): ShownTable | null {
  if (content_type !== 'arrow/ipc' || !Array.isArray(preview) || !Array.isArray(columns)) return null;
  // pandas stores its index behind the columns.
  const first = columns.length - (typeof index_columns === 'number' ? index_columns : 0);
  const inOrder = <T>(values: readonly T[]): T[] => [...values.slice(first), ...values.slice(0, first)];
  return {
    columns: inOrder(columns.map((name) => readableName(String(name)))),
    rows: preview.filter((row): row is unknown[] => Array.isArray(row)).map(inOrder),
    total: typeof rows === 'number' ? rows : preview.length,
  };
}

const unnamed = /^__index_level_\d+__$/;
const levels = /^\('(.*)'\)$/;

/** `('total', 'mean')` is what becomes of a column with a name on each of several levels. */
const readableName = (name: string): string =>
  unnamed.test(name)
    ? ''
    : name.replace(levels, (_all, inner: string) => inner.split("', '").filter(Boolean).join(' '));
