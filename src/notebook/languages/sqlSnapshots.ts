// The moments that queries with `@cache snapshot` read: chosen at the first run, kept in the notebook's runtime directory, and
// read again by every later run until the query is another or somebody runs the cell anew.
import path from 'node:path';
import { z } from 'zod';
import { openSavedMap } from '../document/index.ts';

const snapshotSchema = z.object({
  /** The query on its connection. */
  query: z.string(),
  /** ISO 8601 in UTC. */
  at: z.string(),
  /** Of tables in a lake: address → snapshot. */
  tables: z.record(z.string(), z.string().nullable()),
});

export type SqlSnapshot = Readonly<z.infer<typeof snapshotSchema>>;

export interface SqlSnapshots {
  /** The moment of a cell's query; undefined when it has none yet. */
  of(cellId: string, query: string): SqlSnapshot | undefined;
  keep(cellId: string, snapshot: SqlSnapshot): Promise<void>;
}

export async function openSqlSnapshots(directory: string): Promise<SqlSnapshots> {
  const snapshots = await openSavedMap<SqlSnapshot>(path.join(directory, '.svc/sqlSnapshots.json'), {
    parse: (content) => z.record(z.string(), snapshotSchema).parse(content),
    print: (entries) => entries,
  });
  return {
    of(cellId, query) {
      const found = snapshots.get(cellId);
      return found?.query === query ? found : undefined;
    },
    keep: snapshots.set,
  };
}

/** For how long the warehouse is sure to keep what tables held then; null when it does not say. */
export function validUntil(driver: string, at: string): string | null {
  const days: Readonly<Record<string, number>> = { bigquery: 7, snowflake: 1 };
  const kept = days[driver];
  return kept === undefined ? null : new Date(Date.parse(at) + kept * 86_400_000).toISOString();
}
