// A value that a cell left, by where it is stored: a number or a list as it is, a table to browse.
import { lazy, Suspense, useEffect, useState } from 'react';
import type { StoredValueBody } from '../../../src/protocol/index.ts';
import { messageOf, readValue } from '../api/index.ts';
import { bytes } from '../state/index.ts';
import { JsonTree } from './JsonTree.tsx';

const StoredTable = lazy(() => import('../grid/StoredTable.tsx').then((room) => ({ default: room.StoredTable })));

export function StoredValueView({ sessionId, cellId, uri }: { sessionId: string; cellId: string; uri: string }) {
  const [found, setFound] = useState<StoredValueBody | string | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    readValue({ sessionId, cellId, uri }, leaving.signal).then(setFound, (error: unknown) => {
      if (!leaving.signal.aborted) setFound(messageOf(error));
    });
    return () => leaving.abort();
  }, [sessionId, cellId, uri]);
  if (found === null) return <span className="quiet">Loading …</span>;
  if (typeof found === 'string') return <span className="quiet">{found}</span>;
  const { content_type, byte_size, text } = found;
  const size = byte_size === null ? '' : `, ${bytes(byte_size)}`;
  if (text !== null) return <Json text={text} />;
  if (content_type === 'arrow/ipc') {
    const numbers = <span className="quiet">Numbers without columns{size}: inspect them.</span>;
    return (
      <Suspense fallback={<span className="quiet">Loading …</span>}>
        <StoredTable sessionId={sessionId} cellId={cellId} uri={uri} instead={numbers} />
      </Suspense>
    );
  }
  return (
    <span className="quiet">
      {content_type === 'json/object' ? 'Too large to be shown here' : 'An object'}
      {size}: inspect it.
    </span>
  );
}

/** So much is read at a glance. */
const shortText = 60;

function Json({ text }: { text: string }) {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && JSON.stringify(value).length > shortText ? (
    <JsonTree value={value} />
  ) : (
    <pre className="plain">{JSON.stringify(value)}</pre>
  );
}
