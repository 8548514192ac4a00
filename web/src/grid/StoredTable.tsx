// The rows of a query as a table to browse. Until the first of them are here, and where they are not kept any more, what came
// with the result is shown instead.
import { type ReactNode, useEffect, useState } from 'react';
import { readPage, type TablePlace } from '../api/index.ts';
import { Grid } from './Grid.tsx';
import { firstQuery } from './keptViews.ts';
import type { Preview } from './usePages.ts';

const firstRows = 50;

export function StoredTable({ sessionId, cellId, uri, instead }: TablePlace & { instead: ReactNode }) {
  const [first, setFirst] = useState<Preview | null>(null);
  useEffect(() => {
    const leaving = new AbortController();
    readPage({ sessionId, cellId, uri }, firstQuery, 0, firstRows, leaving.signal).then(
      (page) => {
        if (page.pageable) setFirst(page);
      },
      () => {}, // what stands there instead stays
    );
    return () => leaving.abort();
  }, [sessionId, cellId, uri]);
  return first === null ? instead : <Grid preview={first} sessionId={sessionId} cellId={cellId} uri={uri} />;
}
