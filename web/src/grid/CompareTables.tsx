// A table beside another version of it, row by row: what came, went and changed is marked.
import { type UIEvent, useEffect, useRef, useState } from 'react';
import type { TableComparison } from '../../../src/protocol/index.ts';
import { compareTables, messageOf, type TablePlace } from '../api/index.ts';
import { Message } from '../ui/index.ts';
import { cellText } from './values.ts';
import './compare.css';

const shownRows = 200;

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
  useEffect(() => {
    const leaving = new AbortController();
    compareTables({ sessionId, cellId, uri }, before, onlyDifferent, shownRows, leaving.signal).then(
      setFound,
      (error: unknown) => {
        if (!leaving.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => leaving.abort();
  }, [sessionId, cellId, uri, before, onlyDifferent]);
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
  const { changed, added, removed, same } = found.counts;
  return (
    <div className="compare">
      <p className="compare-words">
        {changed + added + removed === 0
          ? 'Both are the same.'
          : `${counted(changed)} changed, ${counted(added)} added, ${counted(removed)} removed, ${counted(same)} the same.`}{' '}
        {found.key.length > 0 && `Rows are matched by ${found.key.map(indexName).join(', ')}.`}{' '}
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
      {found.total > shownRows && <p className="quiet">and {counted(found.total - shownRows)} more rows</p>}
    </div>
  );
}

const counted = (count: number): string => count.toLocaleString('en');
const indexName = (name: string): string => (/^__index_level_\d+__$/.test(name) ? 'the index' : name);

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
                    <Marked value={values[at]} isChanged={row.changed.includes(at)} side={side} />
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

/** Told by more than its colour. */
function Marked({ value, isChanged, side }: { value: unknown; isChanged: boolean; side: 'before' | 'after' }) {
  const said = value === null || value === undefined ? <i className="grid-none">missing</i> : cellText(value, '');
  if (!isChanged) return said;
  return side === 'before' ? <del>{said}</del> : <ins>{said}</ins>;
}
