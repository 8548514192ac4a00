// How each table is looked at: kept while the page is open, so that a later result of the cell, and a table that was out of
// sight, are seen as the person left them.
import type { TableQuery } from '../api/index.ts';
import { firstLook, type Look } from './columns.ts';

export interface KeptView {
  readonly look: Look;
  readonly query: TableQuery;
  /** Pixels of the table above and left of what is seen. */
  readonly top: number;
  readonly left: number;
}

/** All rows as they lie. */
export const firstQuery: TableQuery = { sortBy: null, sortDir: 'asc', search: '', filters: [] };
const firstView: KeptView = { look: firstLook, query: firstQuery, top: 0, left: 0 };

/** By what is shown, or by its address, whichever version of it. */
const views = new Map<string, KeptView>();
const nameOf = (seenAs: string): string => seenAs.replace(/@v=\d+$/, '');

export const keptView = (seenAs: string): KeptView => views.get(nameOf(seenAs)) ?? firstView;

export const keepView = (seenAs: string, part: Partial<KeptView>): void =>
  void views.set(nameOf(seenAs), { ...keptView(seenAs), ...part });

/** What can still be asked of a table with these columns. */
export function fitting(query: TableQuery, columns: readonly string[]): TableQuery {
  const sortBy = query.sortBy !== null && columns.includes(query.sortBy) ? query.sortBy : null;
  const filters = query.filters.filter(({ col }) => columns.includes(col));
  const isPlain = sortBy === null && query.search === '' && filters.length === 0;
  return isPlain ? firstQuery : { ...query, sortBy, filters };
}
