// A table of facts, a row for each thing. On a phone a row is a block of lines, each with the name of its column.
import type { ReactNode } from 'react';
import './factTable.css';

/** What needs no name for the eye has one for screen readers. */
type Column = string | { readonly unseen: string };

interface Row {
  readonly key: string;
  /** One for each column. */
  readonly cells: readonly ReactNode[];
}

interface FactTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

export function FactTable({ label, columns, rows }: FactTableProps) {
  const nameAt = (index: number): string | undefined => {
    const column = columns[index];
    return index > 0 && typeof column === 'string' ? column : undefined;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <section className="facts-scroll" tabIndex={0} aria-label={label}>
      <table className="fact-table">
        <thead>
          <tr>
            {columns.map((column) =>
              typeof column === 'string' ? (
                <th key={column} scope="col">
                  {column}
                </th>
              ) : (
                <th key={column.unseen} scope="col">
                  <span className="unseen">{column.unseen}</span>
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              {row.cells.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is at the place of its column
                <td key={index} data-column={nameAt(index)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
