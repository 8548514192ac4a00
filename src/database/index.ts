// The door of the metadata database: which one is opened follows from the settings alone.
import path from 'node:path';
import type { Database } from './database.ts';
import { migrate, StoreTooNew } from './migrations.ts';
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
  const file = path.join(artifactDir, 'artifacts.sqlite');
  let database: Database | undefined;
  try {
    database = dsn === undefined ? openSqlite(file) : await openPostgres(dsn);
    await migrate(database);
    return database;
  } catch (error) {
    await database?.close();
    throw error instanceof StoreTooNew ? error : new StoreUnusable(dsn === undefined ? file : undefined, error);
  }
}

/** Says which store and what to do; the driver's own words say why. A DSN is not repeated: it may hold a password. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';

  constructor(file: string | undefined, cause: unknown) {
    const why = reasonOf(cause);
    super(
      file === undefined
        ? `The metadata database cannot be used (${why}). Check SVC_ARTIFACT_METADATA_DSN, or --dsn, and that the database runs.`
        : `The artifact store ${file} cannot be used (${why}). Make it readable and writable, restore it from a backup, or set SVC_ARTIFACT_DIR to another directory.`,
      { cause },
    );
  }
}

/** A failure to connect to several addresses has no message of its own. */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
