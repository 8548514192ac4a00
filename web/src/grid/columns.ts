// The columns of a table as its owner sees them: index first, labels in levels, in the order and the widths that a person chose.
import type { TableLabels } from '../../../src/protocol/index.ts';
import { cellText, isNumberType, typeName } from './values.ts';

export interface GridColumn {
  /** The name it is stored, sorted and filtered under; empty for an index that is only counted. */
  readonly name: string;
  /** Its place in a row; null where it is counted. */
  readonly at: number | null;
  readonly counted: { readonly start: number; readonly step: number } | null;
  /** One label a level, the last one its own. */
  readonly heads: readonly string[];
  readonly isIndex: boolean;
  /** Its word for what is missing. */
  readonly missing: string;
}

/** What a person made of the columns. */
export interface Look {
  readonly order: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
  readonly widths: ReadonlyMap<string, number>;
}

export const firstLook: Look = { order: [], hidden: new Set(), pinned: new Set(), widths: new Map() };

const unnamedIndex = /^__index_level_\d+__$/;

/** Until the labels are here, the last `indexColumns` names are the index: that is where pandas stores it. */
export function columnsOf(names: readonly string[], labels: TableLabels | null, indexColumns: number): GridColumn[] {
  const index = labels?.index ?? names.slice(names.length - indexColumns).map((name) => indexLevel(names, name));
  const levels = index.map((level): GridColumn => {
    const at = 'column' in level ? level.column : null;
    return {
      name: at === null ? '' : (names[at] ?? ''),
      at,
      counted: 'column' in level ? null : level,
      heads: [level.name ?? ''],
      isIndex: true,
      missing: at === null ? '' : (labels?.missing[at] ?? ''),
    };
  });
  const places = new Set(levels.map(({ at }) => at));
  const rest = names.flatMap((name, at): GridColumn[] =>
    places.has(at)
      ? []
      : [
          {
            name,
            at,
            counted: null,
            heads: labels?.heads[at] ?? [name],
            isIndex: false,
            missing: labels?.missing[at] ?? '',
          },
        ],
  );
  return [...levels, ...rest];
}

const indexLevel = (names: readonly string[], name: string) => ({
  name: unnamedIndex.test(name) ? null : name,
  column: names.indexOf(name),
});

/** The columns that are seen: those that stay at the left, and those that scroll. */
export function arranged(columns: readonly GridColumn[], { order, hidden, pinned }: Look) {
  const place = new Map(order.map((name, index) => [name, index]));
  const seen = columns.filter(({ name, isIndex }) => isIndex || !hidden.has(name));
  // One that came after they were put in order stands behind them.
  const placeOf = ({ name }: GridColumn) => place.get(name) ?? order.length;
  const wanted = seen.toSorted((a, b) => placeOf(a) - placeOf(b));
  const stays = ({ name, isIndex }: GridColumn) => isIndex || pinned.has(name);
  return {
    fixed: [...wanted.filter(({ isIndex }) => isIndex), ...wanted.filter((one) => !one.isIndex && stays(one))],
    rest: wanted.filter((one) => !stays(one)),
  };
}

/** The names of all columns in the order they are seen, after one was put to where another stands. */
export function moved(columns: readonly GridColumn[], look: Look, name: string, target: string): readonly string[] {
  const { fixed, rest } = arranged(columns, { ...look, hidden: new Set() });
  const names = [...fixed, ...rest].filter(({ isIndex }) => !isIndex).map((column) => column.name);
  const to = names.indexOf(target);
  if (to < 0) return names;
  const others = names.filter((one) => one !== name);
  return [...others.slice(0, to), name, ...others.slice(to)];
}

const characterPixels = 8.2;
/** All digits are as wide as the widest. */
const digitPixels = 9;
const [narrowest, widest] = [56, 340];
/** Padding, and the button of the column's menu. */
const around = 22;
const menuPixels = 34;

/** What is known of the rows that are not at hand. */
export interface Beyond {
  readonly total: number;
  /** The least and the greatest value of a column, where they were looked for. */
  readonly ends?: readonly unknown[] | undefined;
}

/** Wide enough for its heading, the rows at hand, and the longest number: one that is cut looks like another. */
export function widthOf(
  column: GridColumn,
  type: string,
  rows: readonly (readonly unknown[])[],
  { total, ends = [] }: Beyond = { total: 0 },
): number {
  const head = (column.heads.at(-1) ?? '').length * characterPixels + menuPixels;
  const facts = typeName(type).length * 6.2;
  const longest = Math.max(
    0,
    ...rows.slice(0, 30).map((row) => (column.at === null ? 0 : cellText(row[column.at], type).length)),
    ...(column.at === null ? [Math.max(6, String(total).length)] : []),
    // Until its ends are known, whole numbers are taken to count the rows: most that grow do.
    ...(/^u?int\d*$/.test(type) && ends.length === 0 ? [String(total).length] : []),
    ...(isNumberType(type) ? ends.map((end) => cellText(end, type).length) : []),
  );
  const wanted = Math.max(head, facts, longest * (isNumberType(type) ? digitPixels : characterPixels)) + around;
  return Math.round(Math.min(widest, Math.max(narrowest, wanted)));
}

/** Which of the columns that scroll are in sight, and the pixels of those that are not. */
export function inSight(widths: readonly number[], from: number, to: number) {
  let first = 0;
  let left = 0;
  while (first < widths.length - 1 && left + (widths[first] ?? 0) < from) left += widths[first++] ?? 0;
  let last = first;
  let right = left;
  while (last < widths.length && right < to) right += widths[last++] ?? 0;
  const whole = widths.reduce((sum, width) => sum + width, 0);
  return { first, last, before: left, after: whole - right };
}

/** Neighbours that share their labels down to this level stand under one heading. */
export function spans(columns: readonly GridColumn[], level: number): { label: string; count: number; key: string }[] {
  const found: { label: string; count: number; key: string }[] = [];
  for (const { heads, name } of columns) {
    const label = heads.length > 1 ? (heads[level] ?? '') : '';
    const path = JSON.stringify(heads.length > 1 ? heads.slice(0, level + 1) : [name]);
    const last = found.at(-1);
    if (last?.key.startsWith(path)) last.count += 1;
    else found.push({ label, count: 1, key: `${path}${name}` });
  }
  return found;
}
