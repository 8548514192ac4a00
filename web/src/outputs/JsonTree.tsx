// Nested values, open at the top and folded below; long lists show their beginning.
import { type ReactNode, useState } from 'react';
import { isExactNumber } from '../state/index.ts';

const shownAtOnce = 100;

export function JsonTree({ value }: { value: object }) {
  return (
    <div className="json">
      <Branch value={value} depth={0} />
    </div>
  );
}

function Branch({ name, value, depth }: { name?: string; value: object; depth: number }) {
  const entries = Object.entries(value);
  const [limit, setLimit] = useState(shownAtOnce);
  const [isOpen, setOpen] = useState(depth < 1 || (depth < 2 && entries.length <= 8));
  const isList = Array.isArray(value);
  if (entries.length === 0) return <Leaf name={name}>{isList ? '[]' : '{}'}</Leaf>;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name !== undefined && <span className="json-key">{name}</span>}{' '}
        <span className="quiet">
          {isList ? `[ ${counted(entries.length, 'item')} ]` : `{ ${counted(entries.length, 'key')} }`}
        </span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, limit).map(([key, item]) => (
            <li key={key}>
              {typeof item === 'object' && item !== null && !isExactNumber(item) ? (
                <Branch name={key} value={item} depth={depth + 1} />
              ) : (
                <Leaf name={key}>
                  <span className={`json-${kindOf(item)}`}>{JSON.stringify(item)}</span>
                </Leaf>
              )}
            </li>
          ))}
          {entries.length > limit && (
            <li>
              <button type="button" className="text-button" onClick={() => setLimit(limit + 1000)}>
                {(entries.length - limit).toLocaleString('en')} more
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

const kindOf = (item: unknown): string => {
  if (item === null) return 'null';
  return typeof item === 'object' ? 'number' : typeof item;
};

function Leaf({ name, children }: { name: string | undefined; children: ReactNode }) {
  return (
    <div className="json-leaf">
      {name !== undefined && <span className="json-key">{name}</span>} {children}
    </div>
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
