// Below a table: how much it holds, where one stands, what is chosen, searched and filtered, and where it can go from here.
import { downloadAddress, type TablePlace, type TableQuery } from '../api/index.ts';
import { Button, Menu } from '../ui/index.ts';
import { ColumnPanel } from './ColumnPanel.tsx';
import type { GridColumn } from './columns.ts';
import { GoToRow } from './GoToRow.tsx';
import { GridActions } from './GridActions.tsx';
import { FilterChips, SearchField } from './GridFilters.tsx';
import type { Drawn } from './GridRow.tsx';
import { firstQuery } from './keptViews.ts';

interface FootProps {
  readonly place: TablePlace;
  readonly query: TableQuery;
  readonly onQuery: (change: (query: TableQuery) => TableQuery) => void;
  readonly columns: readonly Drawn[];
  readonly hidden: readonly GridColumn[];
  /** Null: all of them. */
  readonly onShow: (name: string | null) => void;
  /** Rows that are searched and filtered for. */
  readonly total: number;
  /** Rows of the whole table. */
  readonly whole: number;
  readonly top: number;
  readonly isLong: boolean;
  readonly onGo: (row: number) => void;
  readonly isLoading: boolean;
  readonly chosen: string | null;
  readonly chosenColumns: readonly Drawn[];
  readonly note: string | null;
  /** The column whose values are open. */
  readonly filterOn: string | null;
  readonly onFilterOn: (name: string | null) => void;
}

export function GridFoot(props: FootProps) {
  const { place, query, onQuery, columns, hidden, total, filterOn, onFilterOn } = props;
  const stored = columns.filter(({ at }) => at !== null);
  const isPlain = query.sortBy === null && query.search === '' && query.filters.length === 0;
  const count = columns.filter(({ isIndex }) => !isIndex).length + hidden.length;
  return (
    <>
      <div className="grid-foot">
        <span>
          {rowsInWords(total, props.whole)} × {count}
        </span>
        {props.isLong && <GoToRow first={props.top + 1} total={total} onGo={(row) => props.onGo(row - 1)} />}
        <SearchField query={query} onChange={onQuery} />
        <FilterChips query={query} columns={columns} onChange={onQuery} />
        <Button
          look="quiet"
          aria-expanded={filterOn !== null}
          onClick={() => onFilterOn(filterOn === null ? (stored.find(({ isIndex }) => !isIndex)?.name ?? null) : null)}
        >
          Filter
        </Button>
        {!isPlain && (
          <Button look="quiet" onClick={() => onQuery(() => firstQuery)}>
            Reset
          </Button>
        )}
        {hidden.length > 0 && (
          <Menu
            label={`${hidden.length} hidden`}
            look="button quiet"
            items={() => [
              { label: 'Show all', run: () => props.onShow(null) },
              ...hidden.map(({ name, heads }) => ({ label: `Show ${heads.join(' ')}`, run: () => props.onShow(name) })),
            ]}
          >
            {hidden.length} hidden
          </Menu>
        )}
        <GridActions place={place} query={query} columns={stored} chosen={props.chosenColumns} />
        <a href={downloadAddress(place, query, 'csv')}>CSV</a>
        <a href={downloadAddress(place, query, 'parquet')}>Parquet</a>
        {(props.chosen ?? props.note) !== null && <span className="grid-said">{props.note ?? props.chosen}</span>}
        {/* Over the table: what is below it must not move while somebody presses it. */}
        {props.isLoading && <span className="grid-loading">loading …</span>}
      </div>
      {filterOn !== null && (
        <ColumnPanel
          place={place}
          query={query}
          columns={stored}
          name={filterOn}
          onName={onFilterOn}
          onFilter={(filter) => onQuery((before) => ({ ...before, filters: [...before.filters, filter] }))}
          onClose={() => onFilterOn(null)}
        />
      )}
    </>
  );
}

/** `5,000 rows`, or `12 of 5,000 rows` where some are left out. */
function rowsInWords(total: number, whole: number): string {
  const some = total < whole ? `${total.toLocaleString('en')} of ` : '';
  const all = Math.max(total, whole);
  return `${some}${all.toLocaleString('en')} ${all === 1 ? 'row' : 'rows'}`;
}
