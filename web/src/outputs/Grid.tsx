// A table that stays on the server: rows come as they are scrolled to, sorted, filtered and searched there.
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { type ColumnSummary, downloadAddress, readSummary, type TablePlace, type TableQuery } from '../api/index.ts';
import { Button, Message } from '../ui/index.ts';
import { GoToRow } from './GoToRow.tsx';
import { GridFilters } from './GridFilters.tsx';
import { Histogram } from './Histogram.tsx';
import { type Preview, usePages } from './usePages.ts';
import { useRows } from './useRows.ts';
import './grid.css';

const rowHeight = 26;
const shownRows = 12;
/** What keys do to the rows that are seen. */
const ways: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: shownRows - 1,
  PageUp: 1 - shownRows,
  Home: -Infinity,
  End: Infinity,
};
const numberType = /^(u?int|half|float|double|decimal)/;
/** All rows as they lie. */
export const firstQuery: TableQuery = { sortBy: null, sortDir: 'asc', search: '', filters: [] };

export function Grid({ preview, ...of }: { preview: Preview } & TablePlace) {
  const { sessionId, cellId, uri } = of;
  const place = useMemo(() => ({ sessionId, cellId, uri }), [sessionId, cellId, uri]);
  const [query, setQuery] = useState(firstQuery);
  const [summary, setSummary] = useState<readonly ColumnSummary[] | null>(null);
  const { row, total, columns, problem, isLoading, want } = usePages(place, query, preview, query === firstQuery);
  const { scroller, onScroll, from, to, above, below, top, step, goTo } = useRows(total, rowHeight, shownRows);
  useEffect(() => want(from, Math.max(from, to - 1)), [want, from, to]);

  useEffect(() => {
    const leaving = new AbortController();
    readSummary(place, leaving.signal).then(
      (found) => setSummary(found.pageable ? found.columns : []),
      () => {
        if (!leaving.signal.aborted) setSummary([]);
      },
    );
    return () => leaving.abort();
  }, [place]);

  // Another view begins at its top.
  const ask: typeof setQuery = (change) => {
    goTo(0);
    setQuery(change);
  };
  const press = (event: KeyboardEvent) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
    const way = isPlain ? ways[event.key] : undefined;
    if (way === undefined) return;
    event.preventDefault();
    step(way);
  };
  const facts = new Map(summary?.map((column) => [column.name, column]));
  const sort = (name: string) =>
    ask((before) => ({
      ...before,
      sortBy: before.sortBy === name && before.sortDir === 'desc' ? null : name,
      sortDir: before.sortBy === name && before.sortDir === 'asc' ? 'desc' : 'asc',
    }));
  // Exact numbers come as texts: the type tells, once it is known.
  const isNumber = (index: number): boolean => {
    const type = facts.get(columns[index] ?? '')?.dtype;
    if (type !== undefined) return numberType.test(type);
    return preview.rows.some((values) => typeof values[index] === 'number');
  };

  return (
    <div className="grid">
      <section
        ref={scroller}
        className="grid-scroll"
        aria-label="Table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
        tabIndex={0}
        style={{ maxHeight: rowHeight * (shownRows + 3) }}
        onScroll={onScroll}
        onKeyDown={press}
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
                  <Spread column={facts.get(name)} isAwaited={isNumber(index) && summary === null} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap height={above} />}
            {Array.from({ length: to - from }, (_, place) => from + place).map((index) => (
              <tr key={index} aria-rowindex={index + 2}>
                {columns.map((name, column) => (
                  <td key={name} className={isNumber(column) ? 'number' : ''}>
                    {cellText(row(index)?.[column])}
                  </td>
                ))}
              </tr>
            ))}
            <Gap height={below} />
          </tbody>
        </table>
      </section>
      {problem !== null && <Message tone="error">{problem}</Message>}
      <div className="grid-foot">
        <span>
          {total.toLocaleString('en')} {total === 1 ? 'row' : 'rows'} × {columns.length}
          {isLoading && ' · loading …'}
        </span>
        {total > shownRows && <GoToRow first={top + 1} total={total} onGo={(row) => goTo(row - 1)} />}
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

/** Its place is kept while it is on its way: rows do not move when it comes. */
function Spread({ column, isAwaited }: { column: ColumnSummary | undefined; isAwaited: boolean }) {
  if (!column?.histogram) return isAwaited ? <Histogram counts={[]} from="" to="" /> : null;
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

/** How long a text or a list may be is nothing to a reader. */
const typeName = (dtype: string): string => dtype.replace(/\blarge_(string|binary|list)\b/g, '$1');

const factsOf = (column: ColumnSummary | undefined): string =>
  column
    ? `${typeName(column.dtype)}${column.nulls > 0 ? ` · ${column.nulls.toLocaleString('en')} null` : ''}`
    : '\u00a0';

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
