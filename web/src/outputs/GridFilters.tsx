// Search in all columns, and conditions on single ones.
import { useEffect, useState } from 'react';
import type { TableFilter, TableQuery } from '../api/index.ts';
import { Button, Icon } from '../ui/index.ts';

const operators: readonly [op: string, label: string, takesValue: boolean][] = [
  ['contains', 'contains', true],
  ['eq', '=', true],
  ['ne', '≠', true],
  ['gt', '>', true],
  ['ge', '≥', true],
  ['lt', '<', true],
  ['le', '≤', true],
  ['is_null', 'is null', false],
  ['not_null', 'is not null', false],
];

const typingMilliseconds = 250;

export function GridFilters(props: {
  columns: readonly string[];
  query: TableQuery;
  onChange: (change: (query: TableQuery) => TableQuery) => void;
}) {
  const { columns, query, onChange } = props;
  const [text, setText] = useState(query.search);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (text === query.search) return;
    const timer = setTimeout(() => onChange((before) => ({ ...before, search: text })), typingMilliseconds);
    return () => clearTimeout(timer);
  }, [text, query.search, onChange]);
  return (
    <>
      <input
        className="input grid-search"
        type="search"
        aria-label="Search the table"
        placeholder="Search"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {query.filters.map((filter, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: filters are only taken out
          key={index}
          type="button"
          className="chip accent grid-chip"
          aria-label={`Remove the filter ${wordsOf(filter)}`}
          onClick={() =>
            onChange((before) => ({ ...before, filters: before.filters.filter((_, other) => other !== index) }))
          }
        >
          {wordsOf(filter)} <Icon name="close" size={10} />
        </button>
      ))}
      {isOpen ? (
        <NewFilter
          columns={columns}
          onDone={(filter) => {
            setOpen(false);
            if (filter) onChange((before) => ({ ...before, filters: [...before.filters, filter] }));
          }}
        />
      ) : (
        <Button look="quiet" onClick={() => setOpen(true)}>
          Filter
        </Button>
      )}
    </>
  );
}

const wordsOf = ({ col, op, value }: TableFilter): string =>
  `${col} ${operators.find(([name]) => name === op)?.[1] ?? op}${value === undefined ? '' : ` ${value}`}`;

function NewFilter({ columns, onDone }: { columns: readonly string[]; onDone: (filter: TableFilter | null) => void }) {
  const [column, setColumn] = useState(columns[0] ?? '');
  const [op, setOp] = useState('contains');
  const [value, setValue] = useState('');
  const takesValue = operators.find(([name]) => name === op)?.[2] ?? true;
  return (
    <form
      className="grid-filter"
      onSubmit={(event) => {
        event.preventDefault();
        onDone({ col: column, op, ...(takesValue ? { value } : {}) });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone(null);
      }}
    >
      <select className="input" aria-label="Column" value={column} onChange={(event) => setColumn(event.target.value)}>
        {columns.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select className="input" aria-label="Condition" value={op} onChange={(event) => setOp(event.target.value)}>
        {operators.map(([name, label]) => (
          <option key={name} value={name}>
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
