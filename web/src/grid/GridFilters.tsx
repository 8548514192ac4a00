// Search in all columns, and the conditions that hold now.
import { useEffect, useRef, useState } from 'react';
import type { TableFilter, TableQuery } from '../api/index.ts';
import { Icon } from '../ui/index.ts';
import type { GridColumn } from './columns.ts';

export const operators: readonly [op: string, label: string, takesValue: boolean][] = [
  ['contains', 'contains', true],
  ['eq', '=', true],
  ['ne', '≠', true],
  ['gt', '>', true],
  ['ge', '≥', true],
  ['lt', '<', true],
  ['le', '≤', true],
  ['is_null', 'is missing', false],
  ['not_null', 'is not missing', false],
];

const typingMilliseconds = 250;

interface FilterProps {
  readonly query: TableQuery;
  readonly onChange: (change: (query: TableQuery) => TableQuery) => void;
}

export function SearchField({ query, onChange }: FilterProps) {
  const [text, setText] = useState(query.search);
  const asked = useRef(query.search);
  // Whoever resets the view empties the field too.
  useEffect(() => {
    if (query.search === asked.current) return;
    asked.current = query.search;
    setText(query.search);
  }, [query.search]);
  useEffect(() => {
    if (text === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = text;
      onChange((before) => ({ ...before, search: text }));
    }, typingMilliseconds);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <input
      className="input grid-search"
      type="search"
      aria-label="Search the table"
      placeholder="Search"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

export function FilterChips({ query, columns, onChange }: FilterProps & { columns: readonly GridColumn[] }) {
  return query.filters.map((filter, index) => (
    <button
      // biome-ignore lint/suspicious/noArrayIndexKey: filters are only taken out
      key={index}
      type="button"
      className="chip accent grid-chip"
      aria-label={`Remove the filter ${wordsOf(filter, columns)}`}
      onClick={() =>
        onChange((before) => ({ ...before, filters: before.filters.filter((_, other) => other !== index) }))
      }
    >
      {wordsOf(filter, columns)} <Icon name="close" size={10} />
    </button>
  ));
}

export const titleOf = (column: GridColumn): string =>
  column.heads.join(' ').trim() || (column.isIndex ? 'index' : 'no name');

function wordsOf({ col, op, value }: TableFilter, columns: readonly GridColumn[]): string {
  const column = columns.find(({ name }) => name === col);
  const sign = operators.find(([name]) => name === op)?.[1] ?? op;
  return `${column ? titleOf(column) : col} ${sign}${value === undefined ? '' : ` ${value === '' ? "''" : value}`}`;
}
