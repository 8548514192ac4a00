// Catalogs that are SQLite files are asked here and not in Python: every scan asks first where the table's metadata lies now,
// also those whose result is stored already, and a look takes microseconds.

import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { createRecentlyUsed } from '../../recentlyUsed.ts';

export interface SqliteCatalogs {
  /** Where the metadata lies; null when there is no such table; undefined when the file cannot tell. */
  metadataLocation(
    database: string,
    catalog: string,
    namespace: string,
    table: string,
  ): Promise<string | null | undefined>;
  close(): void;
}

interface Opened {
  readonly file: DatabaseSync;
  readonly inode: number;
  readonly find: StatementSync;
}

const kept = 32;
const busyMilliseconds = 2000;

export function createSqliteCatalogs(): SqliteCatalogs {
  const opened = createRecentlyUsed<Opened>(kept);

  async function open(database: string): Promise<Opened> {
    const inode = statSync(database).ino;
    const known = opened.get(database);
    if (known?.inode === inode) return known;
    known?.file.close();
    const { DatabaseSync } = await import('node:sqlite');
    const file = new DatabaseSync(database, { readOnly: true, timeout: busyMilliseconds });
    const find = file.prepare(
      'SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?',
    );
    const fresh = { file, inode, find };
    opened.set(database, fresh)?.file.close();
    return fresh;
  }

  return {
    async metadataLocation(database, catalog, namespace, table) {
      try {
        const { find } = await open(database);
        const location = find.get(catalog, namespace, table)?.metadata_location;
        return typeof location === 'string' ? location : null;
      } catch (error) {
        if (isAbsent(error)) return null;
        return undefined;
      }
    },
    close() {
      opened.dropWhile(({ file }) => {
        file.close();
        return true;
      });
    },
  };
}

/** No file, or one in which no table was ever created. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === 'ENOENT') || error.message.includes('no such table: iceberg_tables');
}
