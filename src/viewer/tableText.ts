// Rows and columns as lines: columns as wide as their widest value, as many as fit.
import { fit, type Line, plain, widthOf } from './lines.ts';

const widestCell = 40;
const gap = '  ';

export interface TableLook {
  /** The column that keys work on. */
  readonly focused?: number;
  readonly sorted?: { readonly column: string; readonly direction: 'asc' | 'desc' } | null;
}

export const valueText = (value: unknown): string =>
  value === null || value === undefined ? '·' : plain(typeof value === 'string' ? value : JSON.stringify(value));

const clipped = (text: string): string => (widthOf(text) > widestCell ? fit(text, widestCell) : text);

export function tableLines(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  width: number,
  { focused = -1, sorted = null }: TableLook = {},
): Line[] {
  const titles = columns.map(
    (name) => clipped(plain(name)) + (sorted?.column === name ? (sorted.direction === 'asc' ? ' ▲' : ' ▼') : ''),
  );
  const cells = rows.map((row) => columns.map((_, column) => clipped(valueText(row[column]))));
  const widths = titles.map((title, column) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const first = firstColumn(widths, focused, width);
  const isNumber = columns.map((_, column) => rows.every((row) => typeof (row[column] ?? 0) === 'number'));
  const padded = (text: string, column: number): string => {
    const wide = widths[column] ?? 0;
    return isNumber[column] ? ' '.repeat(Math.max(0, wide - widthOf(text))) + text : fit(text, wide);
  };
  const header: Line = titles.slice(first).map((title, index) => ({
    text: padded(title, first + index) + gap,
    bold: true,
    ...(first + index === focused ? { inverse: true } : {}),
  }));
  return [
    header,
    ...cells.map(
      (row): Line => [
        {
          text: row
            .slice(first)
            .map((cell, i) => padded(cell, first + i))
            .join(gap),
        },
      ],
    ),
  ];
}

/** Columns on the left go until the focused one is in sight. */
function firstColumn(widths: readonly number[], focused: number, width: number): number {
  let first = 0;
  const taken = (): number => widths.slice(first, focused + 1).reduce((sum, wide) => sum + wide + gap.length, 0);
  while (first < focused && taken() > width) first += 1;
  return first;
}
