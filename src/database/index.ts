// The door of the metadata database: which one is opened follows from the settings alone.
import path from 'node:path';
import type { Database } from './database.ts';
import { migrate } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export type { Database, Queries, Row, SqlValue } from './database.ts';
export { migrate, newestVersion, StoreTooNew } from './migrations.ts';
export { openPostgres } from './postgres.ts';
export { number, numberOrNull, text, textOrNull } from './rows.ts';
export { openSqlite } from './sqlite.ts';

export interface MetadataLocation {
  readonly artifactDir: string;
  readonly dsn: string | undefined;
}

/** Opens the artifact store's metadata at its newest schema. */
export async function openMetadata({ artifactDir, dsn }: MetadataLocation): Promise<Database> {
  const database = dsn === undefined ? openSqlite(path.join(artifactDir, 'artifacts.sqlite')) : await openPostgres(dsn);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
