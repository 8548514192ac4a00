// A table that stays on the server: rows come as they are scrolled to, sorted, filtered and searched there. Columns are pinned,
// sized, hidden and moved; cells are chosen and copied.
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react';
import { type ColumnSummary, messageOf, readSummary, type TablePlace, type TableQuery } from '../api/index.ts';
import { type MenuItem, Message, usePrinting } from '../ui/index.ts';
import { copyCells, summaryOf } from './copying.ts';
import { GridFoot } from './GridFoot.tsx';
import { GridHead } from './GridHead.tsx';
import { type Drawn, GridRow } from './GridRow.tsx';
import { firstQuery, fitting, keepView, keptView } from './keptViews.ts';
import { PrintedTable } from './PrintedTable.tsx';
import { useChoice } from './useChoice.ts';
import { useColumns } from './useColumns.ts';
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

interface GridProps extends TablePlace {
  readonly preview: Preview;
  /** How it is looked at is kept under this name: what a cell shows may be stored as another thing when it runs again. */
  readonly seenAs?: string;
}

export function Grid({ preview, seenAs, ...of }: GridProps) {
  const { sessionId, cellId, uri } = of;
  const name = seenAs ?? uri;
  const place = useMemo(() => ({ sessionId, cellId, uri }), [sessionId, cellId, uri]);
  const [query, setQuery] = useState(() => fitting(keptView(name).query, preview.columns));
  const [filterOn, setFilterOn] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const summary = useSummary(place);
  const isPrinting = usePrinting();
  const { row, total, labels, problem, isLoading, want } = usePages(place, query, preview, query === firstQuery);
  const { scroller, onScroll, from, to, above, below, top, step, goTo } = useRows({
    total,
    rowHeight,
    shownRows,
    first: keptView(name),
    onStand: (place) => keepView(name, place),
  });
  useEffect(() => keepView(name, { query }), [name, query]);
  useEffect(() => want(from, Math.max(from, to - 1)), [want, from, to]);
  const facts = useMemo(() => new Map(summary?.map((column) => [column.name, column])), [summary]);
  const columns = useColumns({ seenAs: name, preview, labels, facts, scroller });
  const { seen, shown, fixedCount, before } = columns;
  const { choice, clear, pointer, press: pressChoice } = useChoice(total, seen.length);

  // Another view begins at its top.
  const ask = (change: (now: TableQuery) => TableQuery) => {
    goTo(0);
    clear();
    setQuery(change);
  };
  const sortTo = (name: string, sortDir: 'asc' | 'desc') => ask((now) => ({ ...now, sortBy: name, sortDir }));
  const sort = (name: string) =>
    ask((now) => ({
      ...now,
      sortBy: now.sortBy === name && now.sortDir === 'desc' ? null : name,
      sortDir: now.sortBy === name && now.sortDir === 'asc' ? 'desc' : 'asc',
    }));
  const copy = (rows: readonly [number, number], wanted: readonly Drawn[], withHeads: boolean): void => {
    copyCells({ place, query, rows, columns: wanted, withHeads }).then(setNote, (error: unknown) =>
      setNote(messageOf(error)),
    );
  };
  const press = (event: KeyboardEvent) => {
    const isMod = event.ctrlKey || event.metaKey;
    const way = isMod || event.altKey || event.shiftKey ? undefined : ways[event.key];
    if (isMod && event.key === 'c' && choice && String(window.getSelection()) === '')
      copy(choice.rows, seen.slice(choice.places[0], choice.places[1] + 1), false);
    else if (way !== undefined) step(way);
    else if (event.target !== scroller.current || !pressChoice(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const menuOf = (column: Drawn): readonly MenuItem[] => {
    const { name, isIndex } = column;
    const moving: MenuItem[] = [
      {
        label: columns.isPinned(name) ? 'Unpin' : 'Pin',
        separated: true,
        run: () => columns.pin(name, !columns.isPinned(name)),
      },
      { label: 'Hide', run: () => columns.hide(name) },
      { label: 'Move left', run: () => columns.shift(name, -1) },
      { label: 'Move right', run: () => columns.shift(name, 1) },
    ];
    return [
      { label: 'Sort ascending', run: () => sortTo(name, 'asc') },
      { label: 'Sort descending', run: () => sortTo(name, 'desc') },
      { label: 'Values and filter', run: () => setFilterOn(name) },
      { label: 'Copy column', run: () => copy([0, total - 1], [column], true) },
      ...(isIndex ? [] : moving),
      { label: 'Wider', separated: isIndex, run: () => columns.widen(name, 1) },
      { label: 'Narrower', run: () => columns.widen(name, -1) },
    ];
  };
  const gap = before > 0;
  if (isPrinting)
    return <PrintedTable columns={seen} widths={columns.widths} fixedCount={fixedCount} row={row} total={total} />;
  return (
    <div className="grid">
      <section
        ref={scroller}
        className="grid-scroll"
        aria-label="Table"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
        tabIndex={0}
        style={{ maxHeight: rowHeight * (shownRows + 3) }}
        onScroll={() => {
          onScroll();
          columns.lookAgain();
        }}
        onKeyDown={press}
      >
        <table aria-rowcount={total} aria-colcount={seen.length} style={{ width: columns.width }}>
          <Widths widths={columns.widthsShown} gapAt={fixedCount} before={before} />
          <GridHead
            columns={shown}
            gapAt={fixedCount}
            hasGapBefore={gap}
            levels={labels?.levels ?? [null]}
            facts={facts}
            isAwaited={summary === null}
            query={query}
            menuOf={menuOf}
            onSort={sort}
            onWidth={columns.onWidth}
            onMove={columns.onMove}
          />
          <tbody {...pointer}>
            {above > 0 && <Gap height={above} />}
            {Array.from({ length: to - from }, (_, at) => from + at).map((index) => (
              <GridRow
                key={index}
                row={row(index)}
                index={index}
                columns={shown}
                hasGapBefore={gap}
                gapAt={fixedCount}
                chosen={choice && index >= choice.rows[0] && index <= choice.rows[1] ? choice.places : null}
              />
            ))}
            <Gap height={below} />
          </tbody>
        </table>
      </section>
      {problem !== null && <Message tone="error">{problem}</Message>}
      <GridFoot
        place={place}
        query={query}
        onQuery={ask}
        columns={seen}
        hidden={columns.hidden}
        onShow={columns.show}
        total={total}
        whole={preview.total}
        top={top}
        isLong={total > shownRows}
        onGo={goTo}
        isLoading={isLoading}
        chosen={choice && summaryOf(choice.rows, seen.slice(choice.places[0], choice.places[1] + 1), row)}
        chosenColumns={choice ? seen.slice(choice.places[0], choice.places[1] + 1) : []}
        note={note}
        filterOn={filterOn}
        onFilterOn={setFilterOn}
      />
    </div>
  );
}

function useSummary(place: TablePlace): readonly ColumnSummary[] | null {
  const [summary, setSummary] = useState<readonly ColumnSummary[] | null>(null);
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
  return summary;
}

function Widths({ widths, gapAt, before }: { widths: readonly number[]; gapAt: number; before: number }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a width is its place
  const cols = widths.map((width, at) => <col key={at} style={{ width }} />);
  return (
    <colgroup>
      {cols.slice(0, gapAt)}
      {before > 0 && <col style={{ width: before }} />}
      {cols.slice(gapAt)}
      {/* What is left of the table's width: columns that are not drawn. */}
      <col />
    </colgroup>
  );
}

/** Rows that are not there now. */
function Gap({ height }: { height: number }) {
  return (
    <tr className="grid-gap">
      <td style={{ height }} />
    </tr>
  );
}
