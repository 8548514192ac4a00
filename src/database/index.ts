// The door of the metadata database: which one is opened follows from the settings alone.
import path from 'node:path';
import { Refusal } from '../errors/index.ts';
import type { Database } from './database.ts';
import { migrate, newestVersion, StoreTooNew, storedVersion } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

export type { Database, Queries, Row, SqlValue } from './database.ts';
export { migrate, newestVersion, StoreTooNew } from './migrations.ts';
export { openPostgres } from './postgres.ts';
export { number, numberOrNull, text, textOrNull } from './rows.ts';
export { type Reading, readSqlite, snapshotSqlite } from './snapshot.ts';
export { type Answered, openSqlite, type SqliteOptions } from './sqlite.ts';

export interface MetadataLocation {
  readonly artifactDir: string;
  readonly dsn: string | undefined;
  /** Of a file. */
  readonly sqlite?: SqliteOptions;
}

/** Opens the artifact store's metadata at its newest schema. */
export const openMetadata = (location: MetadataLocation): Promise<Database> => open(location, migrate);

/** Opens a store for looking at it: one that would have to be changed first is refused. */
export const openExistingMetadata = (location: MetadataLocation): Promise<Database> => open(location, refuseOlder);

async function refuseOlder(database: Database): Promise<void> {
  const version = await storedVersion(database);
  if (version === newestVersion) return;
  throw version > newestVersion
    ? new StoreTooNew(`It has schema version ${version}; this program knows up to ${newestVersion}.`)
    : new Error(`it has schema version ${version} and needs ${newestVersion}: start the server once against it`);
}

async function open(
  { artifactDir, dsn, sqlite }: MetadataLocation,
  prepare: (database: Database) => Promise<void>,
): Promise<Database> {
  const file = path.join(artifactDir, 'artifacts.sqlite');
  let database: Database | undefined;
  try {
    database = dsn === undefined ? openSqlite(file, sqlite) : await openPostgres(dsn);
    await prepare(database);
    return database;
  } catch (error) {
    await database?.close();
    // Words for people are there already.
    if (error instanceof StoreTooNew || error instanceof Refusal) throw error;
    throw new StoreUnusable(dsn === undefined ? file : undefined, error);
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
