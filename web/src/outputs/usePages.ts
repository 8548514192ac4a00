// Pages of a table, fetched when they are scrolled to and kept while the view stays the same. The first rows came with the
// output itself, so a table is there at once.
import { useCallback, useEffect, useRef, useState } from 'react';
import { messageOf, readPage, type TablePlace, type TableQuery } from '../api/index.ts';

type Row = readonly unknown[];

interface Preview {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly total: number;
}

const pageSize = 200;
/** A person who drags the bar passes many pages; only where they rest is fetched. */
const restMilliseconds = 80;

export function usePages(
  { sessionId, cellId, uri }: TablePlace,
  query: TableQuery,
  preview: Preview,
  isUnchanged: boolean,
) {
  const [pages, setPages] = useState<ReadonlyMap<number, readonly Row[]>>(new Map());
  const [total, setTotal] = useState(preview.total);
  const [problem, setProblem] = useState<string | null>(null);
  const [loading, setLoading] = useState(0);
  const asked = useRef(new Set<number>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const view = useRef(0);

  const fetchPage = useCallback(
    async (page: number): Promise<void> => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const mine = view.current;
      setLoading((count) => count + 1);
      try {
        const found = await readPage({ sessionId, cellId, uri }, query, page * pageSize, pageSize);
        if (mine !== view.current) return;
        setTotal(found.total);
        setPages((before) => new Map(before).set(page, found.rows));
        setProblem(null);
      } catch (error) {
        asked.current.delete(page);
        if (mine === view.current) setProblem(messageOf(error));
      } finally {
        setLoading((count) => count - 1);
      }
    },
    [sessionId, cellId, uri, query],
  );

  useEffect(() => {
    view.current += 1;
    asked.current.clear();
    setPages(new Map());
    if (isUnchanged) setTotal(preview.total);
    else void fetchPage(0);
  }, [fetchPage, isUnchanged, preview.total]);

  const want = useCallback(
    (from: number, to: number): void => {
      clearTimeout(timer.current);
      if (isUnchanged && to < preview.rows.length) return;
      timer.current = setTimeout(() => {
        for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page += 1) void fetchPage(page);
      }, restMilliseconds);
    },
    [fetchPage, isUnchanged, preview.rows.length],
  );

  const row = (index: number): Row | undefined =>
    pages.get(Math.floor(index / pageSize))?.[index % pageSize] ?? (isUnchanged ? preview.rows[index] : undefined);

  return { row, total, columns: preview.columns, problem, isLoading: loading > 0, want };
}
