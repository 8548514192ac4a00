// Cells and columns as text that spreadsheets paste, and what numbers that were chosen come to.
import { readPage, type TablePlace, type TableQuery } from '../api/index.ts';
import { copyText } from '../ui/index.ts';
import type { Drawn } from './GridRow.tsx';
import type { Row } from './usePages.ts';
import { cellText, numberIn, short, tabSeparated } from './values.ts';

const mostRows = 50_000;
const atOnce = 500;

export const textIn = (row: Row, { at, counted, type }: Drawn): string => {
  if (at !== null) return cellText(row.values[at], type);
  return counted === null ? '' : String(counted.start + counted.step * row.position);
};

interface Wanted {
  readonly place: TablePlace;
  readonly query: TableQuery;
  /** Both ends belong to it. */
  readonly rows: readonly [from: number, to: number];
  readonly columns: readonly Drawn[];
  readonly withHeads: boolean;
}

/** Says what was copied, and what was too much. */
export async function copyCells({ place, query, rows: [from, to], columns, withHeads }: Wanted): Promise<string> {
  const until = Math.min(to + 1, from + mostRows);
  const lines: string[][] = withHeads ? [columns.map(({ heads }) => heads.join(' '))] : [];
  for (let offset = from; offset < until; offset += atOnce) {
    const page = await readPage(place, query, offset, Math.min(atOnce, until - offset));
    for (const [at, values] of page.rows.entries())
      lines.push(columns.map((column) => textIn({ values, position: page.positions[at] ?? 0 }, column)));
  }
  const count = (until - from) * columns.length;
  const said =
    until <= to
      ? `Copied the first ${mostRows.toLocaleString('en')} rows. Download the CSV for all of them.`
      : `Copied ${count.toLocaleString('en')} ${count === 1 ? 'cell' : 'cells'}.`;
  await copyText(tabSeparated(lines), said);
  return said;
}

const mostSummed = 100_000;

/** `6 cells · sum 12 · mean 2`; only what is at hand is looked at. */
export function summaryOf(
  [from, to]: readonly [number, number],
  columns: readonly Drawn[],
  row: (index: number) => Row | undefined,
): string {
  const count = (to - from + 1) * columns.length;
  const said = `${count.toLocaleString('en')} cells`;
  if (count > mostSummed) return said;
  const numbers: number[] = [];
  for (let index = from; index <= to; index += 1) {
    const here = row(index);
    if (!here) return said;
    for (const { at, isNumber } of columns) {
      const value = at !== null && isNumber ? numberIn(here.values[at]) : null;
      if (value !== null) numbers.push(value);
    }
  }
  if (numbers.length === 0) return said;
  const sum = numbers.reduce((whole, value) => whole + value, 0);
  return `${said} · sum ${short(sum)} · mean ${short(sum / numbers.length)}`;
}
