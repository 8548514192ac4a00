// One row of a table. What is missing has the word its owner has for it; an empty text is empty.
import { memo } from 'react';
import type { GridColumn } from './columns.ts';
import type { Row } from './usePages.ts';
import { cellText, isNoNumber } from './values.ts';

export interface Drawn extends GridColumn {
  readonly type: string;
  readonly isNumber: boolean;
  /** Pixels from the left where it stays; null where it scrolls. */
  readonly left: number | null;
  /** Its place among all that are seen. */
  readonly place: number;
}

interface RowProps {
  readonly row: Row | undefined;
  readonly index: number;
  readonly columns: readonly Drawn[];
  /** Whether room is left for columns that are not drawn. */
  readonly hasGapBefore: boolean;
  /** Before which column that room is. */
  readonly gapAt: number;
  /** Places of the chosen cells: from the first to the last. */
  readonly chosen: readonly [from: number, to: number] | null;
}

export const GridRow = memo(function GridRow({ row, index, columns, hasGapBefore, gapAt, chosen }: RowProps) {
  const cells = columns.map((column) => {
    const isChosen = chosen !== null && column.place >= chosen[0] && column.place <= chosen[1];
    const className = `${column.isNumber ? 'number' : ''}${column.left === null ? '' : ' stays'}${isChosen ? ' chosen' : ''}`;
    const style = column.left === null ? undefined : { left: column.left };
    const key = column.at ?? `counted ${column.place}`;
    return column.isIndex ? (
      <th key={key} scope="row" className={className} style={style} data-place={column.place}>
        <Value row={row} column={column} />
      </th>
    ) : (
      <td key={key} className={className} style={style} data-place={column.place}>
        <Value row={row} column={column} />
      </td>
    );
  });
  return (
    <tr aria-rowindex={index + 2} data-row={index}>
      {cells.slice(0, gapAt)}
      {hasGapBefore && <td className="grid-side" />}
      {cells.slice(gapAt)}
    </tr>
  );
});

function Value({ row, column }: { row: Row | undefined; column: Drawn }) {
  if (row === undefined) return '…';
  const { at, counted, missing, type } = column;
  if (at === null) return counted === null ? '' : counted.start + counted.step * row.position;
  const value = row.values[at];
  if (value === null || value === undefined) return <i className="grid-none">{missing}</i>;
  return isNoNumber(value, type) ? <i className="grid-none">{String(value)}</i> : cellText(value, type);
}
