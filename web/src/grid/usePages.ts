// Pages of a table, fetched when they are scrolled to and kept while the view stays the same. The first rows came with the
// output itself, so a table is there at once; its labels and what is missing come with the first page.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TableLabels } from '../../../src/protocol/index.ts';
import { messageOf, readPage, type TablePlace, type TableQuery } from '../api/index.ts';

export interface Row {
  readonly values: readonly unknown[];
  /** Where it lies in the whole table. */
  readonly position: number;
}

/** What is there before anything is asked for. */
export interface Preview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
  /** How many of the last columns are the index. */
  readonly indexColumns?: number;
  readonly labels?: TableLabels;
}

export const pageSize = 200;
/** Pages that stay: whoever walks through millions of rows does not keep them all. */
const keptPages = 50;
/** A person who drags the bar passes many pages; only where they rest is fetched. */
const restMilliseconds = 80;

export function usePages(
  { sessionId, cellId, uri }: TablePlace,
  query: TableQuery,
  preview: Preview,
  isUnchanged: boolean,
) {
  /** By number, those longest unseen first; null while on their way. Another view has another map. */
  const pages = useRef(new Map<number, readonly Row[] | null>());
  const [total, setTotal] = useState(preview.total);
  const [labels, setLabels] = useState<TableLabels | null>(preview.labels ?? null);
  const [problem, setProblem] = useState<string | null>(null);
  const [loading, setLoading] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const fetchPage = useCallback(
    async (page: number): Promise<void> => {
      const mine = pages.current;
      const known = mine.get(page);
      mine.delete(page);
      mine.set(page, known ?? null);
      if (known !== undefined) return;
      for (const old of [...mine.keys()].slice(0, -keptPages)) mine.delete(old);
      setLoading((count) => count + 1);
      try {
        const found = await readPage({ sessionId, cellId, uri }, query, page * pageSize, pageSize);
        if (mine !== pages.current) return;
        mine.set(
          page,
          found.rows.map((values, at) => ({ values, position: found.positions[at] ?? 0 })),
        );
        setTotal(found.total);
        setLabels((before) => before ?? found.labels);
        setProblem(null);
      } catch (error) {
        mine.delete(page);
        if (mine === pages.current) setProblem(messageOf(error));
      } finally {
        setLoading((count) => count - 1);
      }
    },
    [sessionId, cellId, uri, query],
  );

  useEffect(() => {
    pages.current = new Map();
    if (isUnchanged) setTotal(preview.total);
    void fetchPage(0);
  }, [fetchPage, isUnchanged, preview.total]);

  const want = useCallback(
    (from: number, to: number): void => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page += 1) void fetchPage(page);
      }, restMilliseconds);
    },
    [fetchPage],
  );

  const row = (index: number): Row | undefined => {
    const fetched = pages.current.get(Math.floor(index / pageSize))?.[index % pageSize];
    const early = isUnchanged ? preview.rows[index] : undefined;
    return fetched ?? (early && { values: early, position: index });
  };

  return { row, total, labels, problem, isLoading: loading > 0, want };
}
