// The columns of a grid as they are drawn now: arranged and sized as a person chose, and of many only those in sight.
import { type RefObject, useCallback, useEffect, useMemo, useState } from 'react';
import type { TableLabels } from '../../../src/protocol/index.ts';
import type { ColumnSummary } from '../api/index.ts';
import { arranged, columnsOf, type GridColumn, inSight, type Look, moved, widthOf } from './columns.ts';
import type { Drawn } from './GridRow.tsx';
import { keepView, keptView } from './keptViews.ts';
import type { Preview } from './usePages.ts';
import { isNumberType } from './values.ts';

/** Fewer than these are all drawn. */
const few = 40;
/** Pixels beyond those in sight that are drawn too. */
const spare = 300;
const keyStep = 40;

interface Wanted {
  readonly seenAs: string;
  readonly preview: Preview;
  readonly labels: TableLabels | null;
  /** Empty until they are known. */
  readonly facts: ReadonlyMap<string, ColumnSummary>;
  readonly scroller: RefObject<HTMLElement | null>;
}

export function useColumns({ seenAs, preview, labels, facts, scroller }: Wanted) {
  const [look, setLook] = useState<Look>(() => keptView(seenAs).look);
  const change = useCallback(
    (part: (before: Look) => Partial<Look>) =>
      setLook((before) => {
        const after = { ...before, ...part(before) };
        keepView(seenAs, { look: after });
        return after;
      }),
    [seenAs],
  );
  const columns = useMemo(
    () => columnsOf(preview.columns, labels, preview.indexColumns ?? 0),
    [preview.columns, preview.indexColumns, labels],
  );
  const types = useMemo(() => labels?.types ?? typesOf(preview), [labels, preview]);
  const { fixed, rest, widths } = useMemo(() => {
    const seen = arranged(columns, look);
    const typeOf = (column: GridColumn) => (column.at === null ? '' : (types[column.at] ?? ''));
    const drawn = (column: GridColumn, place: number, left: number | null): Drawn => {
      const type = typeOf(column);
      return { ...column, type, isNumber: column.at === null || isNumberType(type), left, place };
    };
    const width = (column: GridColumn) => {
      const fact = facts.get(column.name);
      const beyond = { total: preview.total, ends: fact && [fact.min, fact.max].filter((end) => end != null) };
      return look.widths.get(column.name) ?? widthOf(column, typeOf(column), preview.rows, beyond);
    };
    let left = 0;
    const stays = seen.fixed.map((column, place) => {
      const one = drawn(column, place, left);
      left += width(column);
      return one;
    });
    return {
      fixed: stays,
      rest: seen.rest.map((column, place) => drawn(column, stays.length + place, null)),
      widths: { fixed: seen.fixed.map(width), rest: seen.rest.map(width) },
    };
  }, [columns, look, types, facts, preview.rows, preview.total]);

  const fixedWidth = widths.fixed.reduce((sum, width) => sum + width, 0);
  const sight = useSight(scroller, widths.rest, fixedWidth);
  /** Too wide a part that stays would leave no room for the rest. */
  const stays = fixedWidth <= sight.room * 0.6;
  const shown = useMemo(() => {
    const first = stays ? fixed : fixed.map((column) => ({ ...column, left: null }));
    return [...first, ...rest.slice(sight.first, sight.last)];
  }, [fixed, rest, stays, sight.first, sight.last]);

  const set = (names: ReadonlySet<string>, name: string, isIn: boolean): ReadonlySet<string> => {
    const others = [...names].filter((one) => one !== name);
    return new Set(isIn ? [...others, name] : others);
  };
  return {
    /** All that are seen when one scrolls, in their order. */
    seen: useMemo(() => [...fixed, ...rest], [fixed, rest]),
    /** Those that are drawn now. */
    shown,
    fixedCount: fixed.length,
    before: sight.before,
    widthsShown: [...widths.fixed, ...widths.rest.slice(sight.first, sight.last)],
    /** Of all that are seen. */
    widths: useMemo(() => [...widths.fixed, ...widths.rest], [widths]),
    width: fixedWidth + widths.rest.reduce((sum, width) => sum + width, 0),
    /** When it was scrolled. */
    lookAgain: sight.look,
    hidden: columns.filter(({ name, isIndex }) => !isIndex && look.hidden.has(name)),
    isPinned: (name: string) => look.pinned.has(name),
    onWidth: (name: string, width: number | null) =>
      change((before) => {
        const next = new Map(before.widths);
        if (width === null) next.delete(name);
        else next.set(name, width);
        return { widths: next };
      }),
    widen: (name: string, way: 1 | -1) =>
      change((before) => {
        const at = [...fixed, ...rest].findIndex((column) => column.name === name);
        const now = [...widths.fixed, ...widths.rest][at] ?? 0;
        return { widths: new Map(before.widths).set(name, Math.max(keyStep, now + way * keyStep)) };
      }),
    hide: (name: string) => change((before) => ({ hidden: set(before.hidden, name, true) })),
    show: (name: string | null) =>
      change((before) => ({ hidden: name === null ? new Set() : set(before.hidden, name, false) })),
    pin: (name: string, isIn: boolean) => change((before) => ({ pinned: set(before.pinned, name, isIn) })),
    onMove: (name: string, target: string) => change((before) => ({ order: moved(columns, before, name, target) })),
    /** One place to the left or to the right, among those that are seen. */
    shift: (name: string, way: 1 | -1) => {
      const all = [...fixed, ...rest].filter(({ isIndex }) => !isIndex);
      const target = all[all.findIndex((column) => column.name === name) + way];
      if (target) change((before) => ({ order: moved(columns, before, name, target.name) }));
    },
  };
}

/** Exact numbers come as texts: until the types are here, the values tell. */
const typesOf = ({ columns, rows }: Preview): readonly string[] =>
  columns.map((_, at) => {
    const numbers = rows.map((values) => values[at]).filter((value) => typeof value === 'number');
    if (numbers.length === 0) return '';
    return numbers.every(Number.isInteger) ? 'int64' : 'double';
  });

function useSight(scroller: RefObject<HTMLElement | null>, widths: readonly number[], fixedWidth: number) {
  const [range, setRange] = useState({ left: 0, room: 1200 });
  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    // By steps, so that not every pixel is drawn anew.
    const left = Math.floor(element.scrollLeft / spare) * spare;
    const room = element.clientWidth;
    setRange((before) => (before.left === left && before.room === room ? before : { left, room }));
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    return () => watcher.disconnect();
  }, [scroller, look]);
  const all = { first: 0, last: widths.length, before: 0, after: 0 };
  const sight =
    widths.length <= few ? all : inSight(widths, range.left - spare, range.left - fixedWidth + range.room + 2 * spare);
  return { ...sight, room: range.room, look };
}
