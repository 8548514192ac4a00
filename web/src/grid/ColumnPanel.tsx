// One column: its statistics, its values with how often each is there, and a condition on it. A press on a value keeps its rows.
import { useEffect, useState } from 'react';
import type { ColumnDetails } from '../../../src/protocol/index.ts';
import { messageOf, readColumn, type TableFilter, type TablePlace, type TableQuery } from '../api/index.ts';
import { Button, IconButton, Message } from '../ui/index.ts';
import { operators, titleOf } from './GridFilters.tsx';
import type { Drawn } from './GridRow.tsx';
import { cellText, isNoNumber, short } from './values.ts';

interface PanelProps {
  readonly place: TablePlace;
  readonly query: TableQuery;
  readonly columns: readonly Drawn[];
  readonly name: string;
  readonly onName: (name: string) => void;
  readonly onFilter: (filter: TableFilter) => void;
  readonly onClose: () => void;
}

export function ColumnPanel({ place, query, columns, name, onName, onFilter, onClose }: PanelProps) {
  const column = columns.find((one) => one.name === name);
  const [details, setDetails] = useState<ColumnDetails | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    setDetails(null);
    setProblem(null);
    readColumn(place, query, name, leaving.signal).then(setDetails, (error: unknown) => {
      if (!leaving.signal.aborted) setProblem(messageOf(error));
    });
    return () => leaving.abort();
  }, [place, query, name]);
  return (
    <section
      className="grid-panel"
      aria-label="Values and filter"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Condition columns={columns} name={name} onName={onName} onFilter={onFilter} />
      <IconButton icon="close" label="Close values and filter" onClick={onClose} />
      {problem !== null && <Message tone="error">{problem}</Message>}
      {details && <p className="grid-stats">{statistics(details)}</p>}
      {details && column && details.values.length > 0 && (
        <ul className="grid-values">
          {details.values.map(({ value, count }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they come as a whole
            <li key={index}>
              <button type="button" onClick={() => onFilter(only(name, value))}>
                <span>{valueText(value, column)}</span> <small>{count.toLocaleString('en')}</small>
              </button>
            </li>
          ))}
          {details.distinct !== null && details.distinct > details.values.length && (
            <li className="quiet">and {(details.distinct - details.values.length).toLocaleString('en')} more</li>
          )}
        </ul>
      )}
    </section>
  );
}

const only = (col: string, value: unknown): TableFilter =>
  value === null ? { col, op: 'is_null' } : { col, op: 'eq', value: cellText(value, '') };

function valueText(value: unknown, { missing, type }: Drawn) {
  if (value === null) return <i className="grid-none">{missing}</i>;
  if (value === '') return <i className="grid-none">empty text</i>;
  return isNoNumber(value, type) ? <i className="grid-none">{String(value)}</i> : cellText(value, type);
}

function statistics({ rows, missing, distinct, min, max, mean, deviation, quartiles }: ColumnDetails): string {
  const [low, middle, high] = quartiles ?? [];
  return [
    `${rows.toLocaleString('en')} rows`,
    `${missing.toLocaleString('en')} missing`,
    distinct !== null && `${distinct.toLocaleString('en')} distinct`,
    min !== null && `min ${String(min)}`,
    low !== undefined && `25 % ${short(low)}`,
    middle !== undefined && `median ${short(middle)}`,
    high !== undefined && `75 % ${short(high)}`,
    max !== null && `max ${String(max)}`,
    mean !== null && `mean ${short(mean)}`,
    deviation !== null && `standard deviation ${short(deviation)}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function Condition({ columns, name, onName, onFilter }: Pick<PanelProps, 'columns' | 'name' | 'onName' | 'onFilter'>) {
  const [op, setOp] = useState('contains');
  const [value, setValue] = useState('');
  const takesValue = operators.find(([one]) => one === op)?.[2] ?? true;
  return (
    <form
      className="grid-filter"
      onSubmit={(event) => {
        event.preventDefault();
        onFilter({ col: name, op, ...(takesValue ? { value } : {}) });
        setValue('');
      }}
    >
      <select className="input" aria-label="Column" value={name} onChange={(event) => onName(event.target.value)}>
        {columns.map((column) => (
          <option key={column.at} value={column.name}>
            {titleOf(column)}
          </option>
        ))}
      </select>
      <select className="input" aria-label="Condition" value={op} onChange={(event) => setOp(event.target.value)}>
        {operators.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </select>
      {takesValue && (
        <input className="input" aria-label="Value" value={value} onChange={(event) => setValue(event.target.value)} />
      )}
      <Button type="submit">Add</Button>
    </form>
  );
}
