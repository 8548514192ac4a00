// A table beside another version of it, row by row: what came, went and changed is marked.
import { type UIEvent, useEffect, useRef, useState } from 'react';
import type { TableComparison } from '../../../src/protocol/index.ts';
import { compareTables, messageOf, type TablePlace } from '../api/index.ts';
import { Button, Message } from '../ui/index.ts';
import { cellText } from './values.ts';
import './compare.css';

const rowsAtOnce = 100;
/** So many the server gives at once. */
const mostRows = 500;

export function CompareTables({
  place,
  before,
  names,
}: {
  place: TablePlace;
  before: string;
  names: [string, string];
}) {
  const { sessionId, cellId, uri } = place;
  const [found, setFound] = useState<TableComparison | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [onlyDifferent, setOnlyDifferent] = useState(true);
  const [limit, setLimit] = useState(rowsAtOnce);
  useEffect(() => {
    const leaving = new AbortController();
    compareTables({ sessionId, cellId, uri }, before, onlyDifferent, limit, leaving.signal).then(
      (answer) => {
        setFound(answer);
        setProblem(null);
      },
      (error: unknown) => {
        if (!leaving.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => leaving.abort();
  }, [sessionId, cellId, uri, before, onlyDifferent, limit]);
  const sides = [useRef<HTMLElement>(null), useRef<HTMLElement>(null)] as const;
  const follow = (event: UIEvent<HTMLElement>): void => {
    for (const { current } of sides) {
      if (!current || current === event.currentTarget) continue;
      current.scrollTop = event.currentTarget.scrollTop;
      current.scrollLeft = event.currentTarget.scrollLeft;
    }
  };
  if (problem !== null) return <Message tone="error">{problem}</Message>;
  if (!found) return <p className="quiet">Comparing …</p>;
  const more = found.total - found.rows.length;
  return (
    <div className="compare">
      <p className="compare-words">
        {wordsOf(found).join(' ')}{' '}
        <label>
          <input type="checkbox" checked={onlyDifferent} onChange={() => setOnlyDifferent(!onlyDifferent)} /> Only
          differences
        </label>
      </p>
      {found.rows.length > 0 && (
        <div className="compare-sides">
          {(['before', 'after'] as const).map((side, at) => (
            <section
              key={side}
              ref={sides[at]}
              className="compare-side"
              aria-label={names[at]}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys too
              tabIndex={0}
              onScroll={follow}
            >
              <Side found={found} side={side} title={names[at] ?? ''} />
            </section>
          ))}
        </div>
      )}
      {more > 0 && (
        <p className="compare-words">
          {counted(more)} more rows{' '}
          {limit < mostRows && (
            <Button look="quiet" onClick={() => setLimit(mostRows)}>
              Show {counted(Math.min(more, mostRows - limit))}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

const counted = (count: number): string => count.toLocaleString('en');
const indexName = (name: string): string => (/^__index_level_\d+__$/.test(name) ? 'the index' : name);

const several = (names: readonly string[]): string =>
  names.length > 5
    ? `${names.slice(0, 5).map(indexName).join(', ')} and ${names.length - 5} others`
    : names.map(indexName).join(', ');

/** Sentences on what differs, and on how it was found. */
export function wordsOf({ counts, key, repeats, came, went, retyped, columns, left_out }: TableComparison): string[] {
  const { changed, added, removed, same } = counts;
  const areSame = changed + added + removed + came.length + went.length + retyped.length === 0;
  const rows = `${counted(changed)} changed, ${counted(added)} added, ${counted(removed)} removed, ${counted(same)} the same.`;
  return [
    areSame ? 'Both are the same.' : rows,
    ...(came.length > 0 ? [`New columns: ${several(came)}.`] : []),
    ...(went.length > 0 ? [`Columns that went: ${several(went)}.`] : []),
    ...retyped.slice(0, 5).map(({ name, before, after }) => `${indexName(name)} was ${before}, is ${after}.`),
    ...(key.length > 0 ? [`Rows are matched by ${several(key)}.`] : []),
    ...(repeats ? ['Rows are matched by their place: the index holds a value twice.'] : []),
    ...(left_out > 0
      ? [`${columns.length} of ${counted(columns.length + left_out)} columns are shown, those that differ first.`]
      : []),
  ];
}

function Side({ found, side, title }: { found: TableComparison; side: 'before' | 'after'; title: string }) {
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          {found.columns.map((name) => (
            <th key={name} scope="col">
              {indexName(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {found.rows.map((row, index) => {
          const values = row[side];
          const isAlone = row.before === null || row.after === null;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows come as a whole
            <tr key={index} className={isAlone ? (values === null ? 'compare-none' : `compare-${side}`) : ''}>
              {found.columns.map((name, at) => (
                <td key={name} className={row.changed.includes(at) ? `compare-${side}` : ''}>
                  {values === null ? (
                    ''
                  ) : (
                    <Marked
                      value={values[at]}
                      type={found.types[at] ?? ''}
                      isChanged={row.changed.includes(at)}
                      side={side}
                    />
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface MarkedProps {
  readonly value: unknown;
  readonly type: string;
  readonly isChanged: boolean;
  readonly side: 'before' | 'after';
}

/** Told by more than its colour. */
function Marked({ value, type, isChanged, side }: MarkedProps) {
  const said = value === null || value === undefined ? <i className="grid-none">missing</i> : cellText(value, type);
  if (!isChanged) return said;
  return side === 'before' ? <del>{said}</del> : <ins>{said}</ins>;
}
