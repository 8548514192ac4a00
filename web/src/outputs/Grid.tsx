// A table that stays on the server: rows come as they are scrolled to, sorted, filtered and searched there.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { DisplayRecord } from '../../../src/protocol/index.ts';
import { type ColumnSummary, downloadAddress, readSummary, type TablePlace, type TableQuery } from '../api/index.ts';
import { Button, Message } from '../ui/index.ts';
import { GridFilters } from './GridFilters.tsx';
import { Histogram } from './Histogram.tsx';
import { usePages } from './usePages.ts';
import './grid.css';

const rowHeight = 26;
const shownRows = 12;
const firstQuery: TableQuery = { sortBy: null, sortDir: 'asc', search: '', filters: [] };

export function Grid({ display, ...of }: { display: DisplayRecord } & TablePlace) {
  const { sessionId, cellId, uri } = of;
  const place = useMemo(() => ({ sessionId, cellId, uri }), [sessionId, cellId, uri]);
  const [query, setQuery] = useState(firstQuery);
  const [summary, setSummary] = useState<readonly ColumnSummary[]>([]);
  const preview = useMemo(() => previewOf(display), [display]);
  const { row, total, columns, problem, isLoading, want } = usePages(place, query, preview, query === firstQuery);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const [from, to] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => want(from, to), [want, from, to]);

  useEffect(() => {
    let isGone = false;
    readSummary(place).then(
      (found) => {
        if (!isGone && found.pageable) setSummary(found.columns);
      },
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [place]);

  // Another view begins at its top.
  const ask: typeof setQuery = (change) => {
    scroller.current?.scrollTo({ top: 0 });
    setQuery(change);
  };
  const facts = new Map(summary.map((column) => [column.name, column]));
  const sort = (name: string) =>
    ask((before) => ({
      ...before,
      sortBy: before.sortBy === name && before.sortDir === 'desc' ? null : name,
      sortDir: before.sortBy === name && before.sortDir === 'asc' ? 'desc' : 'asc',
    }));
  const isNumber = (index: number): boolean => preview.rows.some((values) => typeof values[index] === 'number');

  return (
    <div className="grid">
      <section
        ref={scroller}
        className="grid-scroll"
        aria-label="Table"
        style={{ maxHeight: rowHeight * (shownRows + 3) }}
      >
        <table aria-rowcount={total}>
          <thead>
            <tr>
              {columns.map((name, index) => (
                <th
                  key={name}
                  scope="col"
                  className={isNumber(index) ? 'number' : ''}
                  aria-sort={query.sortBy === name ? (query.sortDir === 'asc' ? 'ascending' : 'descending') : 'none'}
                >
                  <button type="button" onClick={() => sort(name)} title={`Sort by ${name}`}>
                    {name}
                    {query.sortBy === name && (query.sortDir === 'asc' ? ' ↑' : ' ↓')}
                  </button>
                  <small>{factsOf(facts.get(name))}</small>
                  <Spread column={facts.get(name)} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(items[0]?.start ?? 0) > 0 && <Gap height={items[0]?.start ?? 0} />}
            {items.map(({ index }) => (
              <tr key={index} aria-rowindex={index + 2}>
                {columns.map((name, column) => (
                  <td key={name} className={isNumber(column) ? 'number' : ''}>
                    {cellText(row(index)?.[column])}
                  </td>
                ))}
              </tr>
            ))}
            <Gap height={Math.max(0, rows.getTotalSize() - (items.at(-1)?.end ?? 0))} />
          </tbody>
        </table>
      </section>
      {problem !== null && <Message tone="error">{problem}</Message>}
      <div className="grid-foot">
        <span>
          {total.toLocaleString('en')} rows × {columns.length}
          {isLoading && ' · loading …'}
        </span>
        <GridFilters columns={columns} query={query} onChange={ask} />
        {query !== firstQuery && (
          <Button look="quiet" onClick={() => ask(firstQuery)}>
            Reset
          </Button>
        )}
        <a href={downloadAddress(place, query, 'csv')}>CSV</a>
        <a href={downloadAddress(place, query, 'parquet')}>Parquet</a>
      </div>
    </div>
  );
}

function Spread({ column }: { column: ColumnSummary | undefined }) {
  if (!column?.histogram) return null;
  return <Histogram counts={column.histogram} from={column.min} to={column.max} />;
}

/** Rows that are not there now. */
function Gap({ height }: { height: number }) {
  return (
    <tr className="grid-gap">
      <td style={{ height }} />
    </tr>
  );
}

function previewOf(display: DisplayRecord) {
  const columns = Array.isArray(display.columns) ? display.columns.map(String) : [];
  const rows = Array.isArray(display.preview)
    ? display.preview.filter((row): row is unknown[] => Array.isArray(row))
    : [];
  return { columns, rows, total: typeof display.rows === 'number' ? display.rows : rows.length };
}

const factsOf = (column: ColumnSummary | undefined): string =>
  column ? `${column.dtype}${column.nulls > 0 ? ` · ${column.nulls.toLocaleString('en')} null` : ''}` : '\u00a0';

const cellText = (value: unknown): string =>
  value === undefined
    ? '…'
    : typeof value === 'number'
      ? Number.isInteger(value)
        ? String(value)
        : String(Number(value.toPrecision(10)))
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
