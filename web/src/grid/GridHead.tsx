// The headings of a table: labels in levels, the order, the type, how numbers spread, and what can be done with a column.
import { type DragEvent, type PointerEvent, useRef } from 'react';
import type { ColumnSummary, TableQuery } from '../api/index.ts';
import { Icon, Menu, type MenuItem } from '../ui/index.ts';
import { spans } from './columns.ts';
import type { Drawn } from './GridRow.tsx';
import { Histogram } from './Histogram.tsx';
import { typeName } from './values.ts';

const dragType = 'application/x-svc-column';

interface HeadProps {
  readonly columns: readonly Drawn[];
  readonly gapAt: number;
  readonly hasGapBefore: boolean;
  /** The names of the levels of the labels. */
  readonly levels: readonly (string | null)[];
  readonly facts: ReadonlyMap<string, ColumnSummary>;
  /** Whether what is known of the columns is still on its way. */
  readonly isAwaited: boolean;
  readonly query: TableQuery;
  readonly menuOf: (column: Drawn) => readonly MenuItem[];
  readonly onSort: (name: string) => void;
  /** Null: as wide as its rows need. */
  readonly onWidth: (name: string, width: number | null) => void;
  readonly onMove: (name: string, target: string) => void;
}

export function GridHead(props: HeadProps) {
  const { columns, levels, gapAt, hasGapBefore } = props;
  const fixed = columns.slice(0, gapAt);
  const rest = columns.slice(gapAt);
  const gap = hasGapBefore ? <td className="grid-side" /> : null;
  return (
    <thead>
      {levels.slice(0, -1).map((name, level) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a level is its place
        <tr key={level} className="grid-level">
          {groups(fixed, level, name)}
          {gap}
          {groups(rest, level, null)}
        </tr>
      ))}
      <tr>
        {fixed.map((column) => (
          <Heading key={column.at ?? `counted ${column.place}`} column={column} {...props} />
        ))}
        {gap}
        {rest.map((column) => (
          <Heading key={column.at} column={column} {...props} />
        ))}
      </tr>
    </thead>
  );
}

/** The last level of the index carries the name of the level of labels above the columns. */
function groups(columns: readonly Drawn[], level: number, name: string | null) {
  const index = columns.filter(({ isIndex }) => isIndex);
  return (
    <>
      {index.map((column, at) => (
        <td key={column.at} className="stays grid-level-name" style={{ left: column.left ?? undefined }}>
          {at === index.length - 1 ? name : ''}
        </td>
      ))}
      {spans(
        columns.filter(({ isIndex }) => !isIndex),
        level,
      ).map(({ key, label, count }) => (
        <th key={key} scope="colgroup" colSpan={count}>
          {label}
        </th>
      ))}
    </>
  );
}

function Heading(props: HeadProps & { column: Drawn }) {
  const { column, query, facts, isAwaited, onSort, levels } = props;
  const { name, isNumber, isIndex, left, at } = column;
  const label = column.heads.at(-1) ?? '';
  const fact = facts.get(name);
  const isSorted = query.sortBy === name && at !== null;
  const lastLevel = isIndex && props.columns[column.place + 1]?.isIndex !== true ? levels.at(-1) : null;
  const box = useRef<HTMLTableCellElement>(null);
  const drag = isIndex
    ? {}
    : {
        draggable: true,
        onDragStart: (event: DragEvent) => {
          event.stopPropagation();
          event.dataTransfer.setData(dragType, name);
          event.dataTransfer.effectAllowed = 'move';
        },
        onDragOver: (event: DragEvent) => {
          if (event.dataTransfer.types.includes(dragType)) event.preventDefault();
        },
        onDrop: (event: DragEvent) => {
          const dragged = event.dataTransfer.getData(dragType);
          if (dragged === '' || dragged === name) return;
          event.preventDefault();
          event.stopPropagation();
          props.onMove(dragged, name);
        },
      };
  return (
    <th
      ref={box}
      scope="col"
      className={`${isNumber ? 'number' : ''}${left === null ? '' : ' stays'}`}
      style={left === null ? undefined : { left }}
      aria-sort={isSorted ? (query.sortDir === 'asc' ? 'ascending' : 'descending') : 'none'}
      {...drag}
    >
      <span className="grid-label">
        {at === null ? (
          <span>{label}</span>
        ) : (
          <button
            type="button"
            onClick={() => onSort(name)}
            title={`Sort by ${label || (isIndex ? 'the index' : 'the column without a name')}`}
          >
            {label.trim() === '' ? <i className="grid-none">{isIndex ? 'index' : 'no name'}</i> : label}
            {isSorted && (query.sortDir === 'asc' ? ' ↑' : ' ↓')}
          </button>
        )}
        {at !== null && (
          <Menu
            label={`Column ${label || (isIndex ? 'index' : 'without a name')}`}
            look="grid-menu"
            items={() => props.menuOf(column)}
          >
            <Icon name="more" size={14} />
          </Menu>
        )}
      </span>
      <small className="grid-facts" title={at === null ? undefined : factsOf(column.type, fact)}>
        {lastLevel ? `${lastLevel} →` : at === null ? '\u00a0' : factsOf(column.type, fact)}
      </small>
      <Spread column={fact} isAwaited={isNumber && !isIndex && isAwaited} />
      {at !== null && <Edge box={box} onWidth={(width) => props.onWidth(name, width)} />}
    </th>
  );
}

/** The right edge of a heading: dragged, it changes the width; pressed twice, the width is what the rows need. */
function Edge(props: { box: { readonly current: HTMLElement | null }; onWidth: (width: number | null) => void }) {
  const begin = (event: PointerEvent<HTMLSpanElement>): void => {
    const edge = event.currentTarget;
    const start = event.clientX;
    const width = props.box.current?.offsetWidth ?? 0;
    event.preventDefault();
    edge.setPointerCapture(event.pointerId);
    edge.onpointermove = (move) => props.onWidth(Math.max(40, Math.round(width + move.clientX - start)));
    edge.onlostpointercapture = () => {
      edge.onpointermove = null;
    };
  };
  // Keys change widths by the menu of the column.
  return (
    <span
      aria-hidden="true"
      className="grid-edge"
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      onPointerDown={begin}
      onDoubleClick={() => props.onWidth(null)}
    />
  );
}

/** Its place is kept while it is on its way: rows do not move when it comes. */
function Spread({ column, isAwaited }: { column: ColumnSummary | undefined; isAwaited: boolean }) {
  if (!column?.histogram) return isAwaited ? <Histogram counts={[]} from="" to="" /> : null;
  return <Histogram counts={column.histogram} from={column.min} to={column.max} />;
}

const factsOf = (type: string, fact: ColumnSummary | undefined): string =>
  fact && fact.nulls > 0
    ? `${typeName(type)} · ${fact.nulls.toLocaleString('en')} missing`
    : typeName(type) || '\u00a0';
