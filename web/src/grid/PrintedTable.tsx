// A table on paper: nothing scrolls there, so a wide one goes on below itself with its index again, and a long one says what is left.
import { type Drawn, GridRow } from './GridRow.tsx';
import { pageSize, type Row } from './usePages.ts';

/** What fits beside each other on a sheet, in pixels of the screen: letters are smaller there. */
const paperWidth = 1000;

interface PrintedProps {
  readonly columns: readonly Drawn[];
  readonly widths: readonly number[];
  readonly fixedCount: number;
  readonly row: (index: number) => Row | undefined;
  readonly total: number;
}

export function PrintedTable({ columns, widths, fixedCount, row, total }: PrintedProps) {
  const indices = Array.from({ length: Math.min(total, pageSize) }, (_, index) => index).filter((at) => row(at));
  const left = total - indices.length;
  return (
    <div className="grid-printed">
      {bandsOf(widths, fixedCount).map(([from, to]) => {
        const band = [...columns.slice(0, fixedCount), ...columns.slice(from, to)];
        return (
          <table key={from}>
            <thead>
              <tr>
                {band.map(({ name, heads, isNumber }) => (
                  <th key={name} scope="col" className={isNumber ? 'number' : ''}>
                    {heads.join(' ')}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {indices.map((index) => (
                <GridRow
                  key={index}
                  row={row(index)}
                  index={index}
                  columns={band}
                  hasGapBefore={false}
                  gapAt={band.length}
                  chosen={null}
                />
              ))}
            </tbody>
          </table>
        );
      })}
      {left > 0 && <p className="quiet">{left.toLocaleString('en')} more rows</p>}
    </div>
  );
}

/** Columns that stand beside each other: from the first up to, but without, the last; those that are fixed are in every band. */
function bandsOf(widths: readonly number[], fixedCount: number): [from: number, to: number][] {
  const room = paperWidth - widths.slice(0, fixedCount).reduce((sum, width) => sum + width, 0);
  const bands: [number, number][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (let at = fixedCount; at < widths.length; at++) {
    const width = widths[at] ?? 0;
    const last = bands.at(-1);
    if (last && used + width <= room) last[1] = at + 1;
    else bands.push([at, at + 1]);
    used = last && used + width <= room ? used + width : width;
  }
  return bands.length > 0 ? bands : [[fixedCount, fixedCount]];
}
