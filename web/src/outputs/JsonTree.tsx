// Nested values, open at the top and folded below; long lists show their beginning.
import { useState } from 'react';

const shownAtOnce = 100;

export function JsonTree({ value }: { value: object }) {
  return (
    <div className="json">
      <Branch value={value} depth={0} />
    </div>
  );
}

function Branch({ value, depth }: { value: object; depth: number }) {
  const entries = Object.entries(value);
  const [limit, setLimit] = useState(shownAtOnce);
  const [isOpen, setOpen] = useState(depth < 1 || (depth < 2 && entries.length <= 8));
  const isList = Array.isArray(value);
  const size = `${entries.length} ${isList ? 'items' : 'keys'}`;
  if (entries.length === 0) return <span>{isList ? '[]' : '{}'}</span>;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="quiet">{isList ? `[ ${size} ]` : `{ ${size} }`}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, limit).map(([key, item]) => (
            <li key={key}>
              <span className="json-key">{key}</span> <Leaf value={item} depth={depth + 1} />
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

function Leaf({ value, depth }: { value: unknown; depth: number }) {
  if (typeof value === 'object' && value !== null) return <Branch value={value} depth={depth} />;
  return <span className={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>;
}
