// A SQL cell as it can be run: its connection open, its query looked at, every check passed that needs no database.
import path from 'node:path';
import { type Description, readSql, type SqlBody, type SqlProcesses } from '../../sql/index.ts';
import { type Annotations, bodyOf, resolveMounts } from '../annotations/index.ts';
import {
  type ConnectionParts,
  ConnectionRefused,
  connectionId,
  dialectOf,
  mountNames,
  type Opened,
  openConnection,
  textOf,
} from '../connections/index.ts';
import type { Connection } from '../document/index.ts';
import { workFolderName } from '../files/index.ts';
import { CellRefused, type CellWork, type Language } from './language.ts';
import { checkStatements, namedConnection } from './sqlChecks.ts';
import type { createDescriber } from './sqlDescriptions.ts';
import { policyOf } from './sqlPolicy.ts';
import type { SqlSnapshot, SqlSnapshots } from './sqlSnapshots.ts';

export interface SqlParts extends ConnectionParts {
  readonly processes: SqlProcesses;
  /** Reads what mounts hold. */
  readonly mounts: NonNullable<Language['outside']>;
  /** Whose run it is. */
  readonly principal: () => string | null;
  readonly snapshots: SqlSnapshots;
  readonly now?: () => number;
}

/** A cell that has passed every check that needs no database. */
export interface Prepared {
  readonly connection: Connection;
  readonly body: SqlBody;
  readonly described: Description;
  /** Tables of the query that values of other cells stand for, unless the database has a table of that name. */
  readonly frames: readonly string[];
  readonly write: boolean;
  readonly opened: Opened;
  /** The moment that it reads, where it reads one. */
  readonly snapshot: SqlSnapshot | undefined;
}

/** Address of a table in a lake → its snapshot. */
export type Snapshots = Readonly<Record<string, string | null>>;

/** `pins`: the snapshots that the last look at a cell found; its run reads the very same. */
export function createPreparation(
  parts: SqlParts,
  describe: ReturnType<typeof createDescriber>,
  pins: ReadonlyMap<string, Snapshots>,
): (work: CellWork) => Promise<Prepared> {
  const { personal, principal, snapshots } = parts;

  return async function prepare(work) {
    const { notebook, cell, annotations, env, inputs } = work;
    const write = annotations.sql?.write ?? false;
    const connection = namedConnection(notebook, annotations);
    const use = {
      directory: notebook.directory,
      env,
      mounts: resolveMounts(annotations, cell, notebook),
      catalogs: notebook.catalogs,
      write,
      principal: principal(),
    };
    const open = refusing('ConnectionRefused', () => openConnection(parts, connection, use));
    const body = readSql(bodyOf(cell.source, 'sql'), dialectOf(connection.driver));
    if (body.statements.length === 0) throw new CellRefused('SqlEmpty', 'The SQL cell is empty: write a query.');
    const [described] = await describe([{ ...body, dialect: dialectOf(connection.driver) }]);
    if (!described) throw new CellRefused('SqlParseError', 'SQL parse error: the query could not be looked at.');
    checkStatements(described, { write, confined: !personal, driver: connection.driver });
    const missing = body.references.find((name) => !inputs.has(name));
    if (missing !== undefined)
      throw new CellRefused('SqlParameterMissing', `:${missing} is not defined by any earlier cell.`);
    policyOf(annotations, connection);
    const snapshot = isSnapshot(annotations) ? snapshots.of(cell.id, queryOf(work, connection, body)) : undefined;
    const moment = {
      lakeTables: lakeTablesOf(connection, described),
      lakePins: snapshot?.tables ?? pins.get(cell.id) ?? {},
      ...(snapshot && connection.driver !== 'duckdb' ? { snapshotAt: snapshot.at } : {}),
    };
    const beside = { folder: path.join(notebook.directory, workFolderName), files: described.files };
    const opened = { ...open, connection: { ...open.connection, ...moment, ...beside } };
    const frames = framesOf(connection, described).filter((name) => inputs.has(name) && !body.tables.includes(name));
    return { connection, body, described, frames, write, opened, snapshot };
  };
}

export const isSnapshot = ({ cache, nocache }: Annotations): boolean => cache?.kind === 'snapshot' && !nocache;

export const queryOf = ({ notebook }: CellWork, connection: Connection, { digest }: SqlBody): string =>
  `${digest}:${connectionId(connection, notebook.directory, false)}`;

/** Names in a query that may be values of other cells: a mount of the same name comes first. */
export function framesOf(connection: Connection, { frames }: Description): string[] {
  const mounted = new Set(mountNames(connection).map((name) => name.toLowerCase()));
  return frames.filter((name) => !mounted.has(name.toLowerCase()));
}

export const isOfLake = (connection: Connection, parts: readonly string[]): boolean =>
  parts.length > 1 && textOf(connection, 'catalog')?.toLowerCase() === parts[0]?.toLowerCase();

/** Namespace and name of each table of the connection's catalog; without a namespace it is `main`. */
export const lakeTablesOf = (connection: Connection, { tables }: Description): string[][] =>
  tables
    .filter((parts) => isOfLake(connection, parts))
    .map(([, ...rest]) => (rest.length === 1 ? ['main', ...rest] : rest));

function refusing<T>(errorType: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConnectionRefused ? new CellRefused(errorType, error.message) : error;
  }
}
