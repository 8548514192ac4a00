// Pages, summaries and downloads of a table that a cell displayed.
import type { ColumnDetails, TableComparison, TableLabels } from '../../../src/protocol/index.ts';
import { address, request } from './client.ts';

export interface TableQuery {
  readonly sortBy: string | null;
  readonly sortDir: 'asc' | 'desc';
  readonly search: string;
  readonly filters: readonly TableFilter[];
}

export interface TableFilter {
  readonly col: string;
  readonly op: string;
  readonly value?: string;
}

export interface TablePage {
  readonly pageable: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly total: number;
  readonly offset: number;
  readonly labels: TableLabels;
  /** Where each row lies in the whole table. */
  readonly positions: readonly number[];
}

export interface ColumnSummary {
  readonly name: string;
  readonly dtype: string;
  readonly nulls: number;
  readonly distinct: number | null;
  readonly min: unknown;
  readonly max: unknown;
  readonly histogram?: readonly number[] | null;
}

export interface TablePlace {
  readonly sessionId: string;
  readonly cellId: string;
  readonly uri: string;
}

function place({ sessionId, cellId, uri }: TablePlace, route: string, query: Record<string, string>): string {
  const search = new URLSearchParams({ artifact_uri: uri, ...query });
  return `/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}/data${route}?${search}`;
}

const viewOf = ({ sortBy, sortDir, search, filters }: TableQuery): Record<string, string> => ({
  ...(sortBy === null ? {} : { sort_by: sortBy, sort_dir: sortDir }),
  ...(search === '' ? {} : { search }),
  ...(filters.length === 0 ? {} : { filters: JSON.stringify(filters) }),
});

export const readPage = (
  of: TablePlace,
  query: TableQuery,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<TablePage> =>
  request(
    'GET',
    place(of, '', { ...viewOf(query), exact: 'true', offset: String(offset), limit: String(limit) }),
    undefined,
    signal,
  );

/** Statistics and the most frequent values of a column, over the rows that the view leaves. */
export const readColumn = (
  of: TablePlace,
  query: TableQuery,
  column: string,
  signal: AbortSignal,
): Promise<ColumnDetails> => request('GET', place(of, '/column', { ...viewOf(query), column }), undefined, signal);

const histogramBins = 20;

export const readSummary = (
  of: TablePlace,
  signal: AbortSignal,
): Promise<{ readonly pageable: boolean; readonly columns: readonly ColumnSummary[]; readonly total: number }> =>
  request('GET', place(of, '/summary', { bins: String(histogramBins) }), undefined, signal);

/** The table, beside what it was before. */
export const compareTables = (
  of: TablePlace,
  before: string,
  onlyDifferent: boolean,
  limit: number,
  signal: AbortSignal,
): Promise<TableComparison> => {
  const query = { before_uri: before, only_different: String(onlyDifferent), limit: String(limit) };
  return request('GET', place(of, '/compare', query), undefined, signal);
};

export const downloadAddress = (of: TablePlace, query: TableQuery, format: 'csv' | 'parquet'): string =>
  address(place(of, '/export', { ...viewOf(query), fmt: format }));

export const blobAddress = (sessionId: string, cellId: string, index: number): string =>
  address(`/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}/outputs/${index}/blob`);
