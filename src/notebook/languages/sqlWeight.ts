// How much of a catalog's tables a query would bring here: DuckDB gets each table that the query names whole.
import { type SqlProcesses, weighSql } from '../../sql/index.ts';
import type { Opened } from '../connections/index.ts';
import { CellRefused, type Weight } from './language.ts';

type Far = Pick<Weight, 'far' | 'fingerprint'>;

export const nothingFar: Far = { far: [], fingerprint: '' };

/** `credential`: by which the catalog is opened. */
export async function weighLake(
  processes: SqlProcesses,
  { connection, hide }: Opened,
  credential: string | null,
  signal: AbortSignal,
): Promise<Far> {
  const found = await weighSql(processes, connection, signal);
  if ('error' in found) throw new CellRefused('SqlProbeFailed', hide(found.error));
  const tables = Object.entries(found.tables);
  return {
    far: tables.map(([uri, { bytes }]) => ({
      kind: 'table',
      name: uri.slice(uri.indexOf(':') + 1),
      uri,
      credential,
      bytes,
      cached_bytes: null,
    })),
    fingerprint: JSON.stringify(tables.map(([uri, { snapshot }]) => [uri, snapshot])),
  };
}
