// A SQLite database as it is at one moment, whoever writes to it meanwhile; and looking into one without changing it.
import fs from 'node:fs/promises';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Queries } from './database.ts';
import { queriesBeside } from './sqliteBeside.ts';

export type Reading = Pick<Queries, 'all' | 'get'> & { close(): Promise<void> };

/** Opens a database that is there to look into it, in a thread: nothing is made, migrated or swept. */
export const readSqlite = (file: string): Reading => queriesBeside(file);

/** All pages in one step: a copy in several would begin anew at each commit of somebody else. */
const allPages = 2 ** 31 - 1;

/** Writes what `file` holds now to `target`, one file without a log beside it, closed to other accounts. */
export async function snapshotSqlite(file: string, target: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    await fs.writeFile(target, '', { mode: 0o600, flag: 'wx' });
    await backup(source, target, { rate: allPages });
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(target);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
  } finally {
    copy.close();
  }
}
