// SQL cells: one query on a connection of the notebook, its values bound beside the text, its rows the cell's one variable.
import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { EngineError, EngineRefused } from '../../engine/index.ts';
import { Refusal } from '../../errors/index.ts';
import { type Description, type Dialect, probeSql, readSql, type SqlBody, type SqlProcesses } from '../../sql/index.ts';
import { type Annotations, bodyOf, outputVariable, parseAnnotations, resolveMounts } from '../annotations/index.ts';
import {
  type ConnectionParts,
  ConnectionRefused,
  catalogCredential,
  connectionId,
  dialectOf,
  mountNames,
  type Opened,
  openConnection,
  textOf,
} from '../connections/index.ts';
import type { Cell, Connection, Notebook } from '../document/index.ts';
import { workFolderName } from '../files/index.ts';
import { CellRefused, type CellWork, type Language, type OutsideLook, type SqlFacts, type Weight } from './language.ts';
import { noNames } from './sourceDigest.ts';
import { checkStatements, namedConnection } from './sqlChecks.ts';
import { createDescriber } from './sqlDescriptions.ts';
import { policyOf, saltOf } from './sqlPolicy.ts';
import { type SqlSnapshot, type SqlSnapshots, validUntil } from './sqlSnapshots.ts';
import { nothingFar, weighLake } from './sqlWeight.ts';

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
interface Prepared {
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

export function sqlLanguage(parts: SqlParts): Language {
  const { processes, mounts, personal, principal, snapshots, now = () => Date.now() / 1000 } = parts;
  const describe = createDescriber(processes);
  /** Snapshots that the last look at a cell found: its run reads the very same. */
  const pins = new Map<string, Snapshots>();

  async function prepare(work: CellWork): Promise<Prepared> {
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
  }

  /** What the tables that a query reads look like now, beside the `files` of its mounts. */
  async function freshness(work: CellWork, prepared: Prepared, files: string, signal: AbortSignal): Promise<unknown> {
    const { connection, body, described, frames, opened } = prepared;
    if (described.dynamic.length > 0) return randomUUID();
    const mounted = mountNames(connection);
    // A database file may have a table of the same name, which comes first.
    const values = textOf(connection, 'path') === ':memory:' ? frames : [];
    const tables = described.tables.filter(
      (parts) => !isOfLake(connection, parts) && !isBeside(parts, [...body.tables, ...mounted, ...values]),
    );
    if (tables.length === 0 && lakeTablesOf(connection, described).length === 0) return { files };
    const found = await probeSql(processes, { connection: opened.connection, tables }, signal);
    if ('error' in found) throw new CellRefused('SqlProbeFailed', opened.hide(found.error));
    const pinned = snapshotsIn(found.freshness);
    pins.set(work.cell.id, pinned);
    // A table of a lake that was never written to has nothing to be known by.
    if (Object.values(pinned).includes(null)) return randomUUID();
    // Where the database cannot tell, a result holds as long as the session.
    return { files, ...found, freshness: found.freshness ?? `session:${work.openingId}` };
  }

  /** The moment that a cell reads: the one that was chosen before, unless the cell is run anew. */
  async function momentOf(
    work: CellWork,
    prepared: Prepared,
    renew: boolean,
    signal: AbortSignal,
  ): Promise<SqlSnapshot> {
    const { connection, body, described, opened } = prepared;
    const [unknown] = described.dynamic;
    if (unknown !== undefined)
      throw new CellRefused(
        'SqlCachePolicy',
        `@cache snapshot reads tables as they were, and which one ${unknown} is only shows when the query runs.`,
      );
    if (prepared.snapshot && !renew) return prepared.snapshot;
    const isLake = connection.driver === 'duckdb';
    const found = isLake ? await probeSql(processes, { connection: opened.connection, tables: [] }, signal) : undefined;
    if (found && 'error' in found) throw new CellRefused('SqlProbeFailed', opened.hide(found.error));
    const chosen = {
      query: queryOf(work, connection, body),
      at: new Date(now() * 1000).toISOString(),
      tables: snapshotsIn(found?.freshness),
    };
    await snapshots.keep(work.cell.id, chosen);
    return chosen;
  }

  async function look(
    work: CellWork,
    { signal, mayAsk, renew = false }: { signal: AbortSignal; mayAsk: boolean; renew?: boolean },
  ): Promise<OutsideLook | undefined> {
    const salt = saltOf(work.annotations, work.openingId, now());
    pins.delete(work.cell.id);
    // A snapshot is trusted again when the cell is run, not when the notebook is opened.
    const isKnown = salt !== undefined && !isSnapshot(work.annotations);
    if (!mayAsk) return isKnown ? lookOf(salt) : undefined;
    return told(async () => {
      const prepared = await prepare(work);
      if (isSnapshot(work.annotations)) {
        const { at, tables } = await momentOf(work, prepared, renew, signal);
        return lookOf(JSON.stringify(['snapshot', at, tables]));
      }
      const mounted = await mounts.look(withMounts(work, prepared.connection), { signal, mayAsk });
      const files = mounted?.digest ?? '';
      return lookOf(salt ?? JSON.stringify(await freshness(work, prepared, files, signal)), mounted);
    }, signal);
  }

  /** What mounts and the catalog would bring here; what a database would read only the database knows. */
  async function weigh(work: CellWork, signal: AbortSignal): Promise<Weight> {
    pins.delete(work.cell.id);
    const { connection, described, opened, snapshot } = await prepare(work);
    const mounted = await mounts.weigh(withMounts(work, connection), signal);
    const lake =
      lakeTablesOf(connection, described).length === 0
        ? nothingFar
        : await weighLake(processes, opened, catalogCredential(parts, connection, work.notebook.catalogs), signal);
    const far = [...mounted.far, ...lake.far];
    // A moment is only chosen by a run.
    const isLooked = far.length > 0 && (!isSnapshot(work.annotations) || snapshot !== undefined);
    const found = isLooked ? await look(work, { signal, mayAsk: true }) : undefined;
    return { far, fingerprint: `${mounted.fingerprint}${lake.fingerprint}`, digest: found?.digest ?? null };
  }

  return {
    async read(cells, notebook) {
      const bodies = cells.map((cell) => bodyIn(notebook, cell));
      const { facts, failure } = await describedOr(() => describe(bodies));
      return cells.map(({ source }, index) => {
        const annotations = parseAnnotations(source);
        const body = bodies[index];
        if (!body) return { names: noNames, digest: '' };
        const digest = `${body.digest}:${annotations.sql?.write ?? false}`;
        const described = facts[index];
        const frames = described && body.connection ? framesOf(body.connection, described) : [];
        const references = [...new Set([...body.references, ...frames])];
        const names = { ...noNames, defines: [outputVariable(annotations)], references };
        if (described) return { names, digest, sql: factsOf(described) };
        return failure === null
          ? { names, digest }
          : { names, digest, sql: { parseError: null, dynamicTables: [], failure } };
      });
    },

    environment(notebook, annotations) {
      const connection = notebook.connections.find(({ name }) => name === annotations.sql?.connection);
      if (!connection) return 'sql';
      return `sql\0${connectionId(connection, notebook.directory, annotations.sql?.write ?? false)}`;
    },

    outside: {
      asks: ({ annotations: { sql, cache } }) => JSON.stringify([sql, cache]),
      look,
      weigh,
    },

    async engage(work) {
      const { connection, body, described, frames, write, opened, snapshot } = await told(() => prepare(work));
      const { runSqlCell } = await import('./sqlRun.ts');
      return {
        run: (job, _onEvent, signal) =>
          runSqlCell(
            {
              processes,
              body,
              frames,
              kinds: described.statements.map(({ kind }) => kind),
              write,
              connection: opened.connection,
              mounts: mountNames(connection),
              hide: opened.hide,
              variable: outputVariable(work.annotations),
              snapshot: snapshot && {
                at: snapshot.at,
                validUntil: validUntil(connection.driver, snapshot.at),
                tables: connection.driver === 'duckdb' ? snapshot.tables : null,
              },
              job,
            },
            signal,
          ),
      };
    },
  };
}

const isSnapshot = ({ cache, nocache }: Annotations): boolean => cache?.kind === 'snapshot' && !nocache;

const queryOf = ({ notebook }: CellWork, connection: Connection, { digest }: SqlBody): string =>
  `${digest}:${connectionId(connection, notebook.directory, false)}`;

/** Address of a table in a lake → its snapshot. */
type Snapshots = Readonly<Record<string, string | null>>;

const lakeFreshness = z.object({ snapshots: z.record(z.string(), z.string().nullable()) });

const snapshotsIn = (freshness: unknown): Snapshots => lakeFreshness.safeParse(freshness).data?.snapshots ?? {};

/** Names in a query that may be values of other cells: a mount of the same name comes first. */
function framesOf(connection: Connection, { frames }: Description): string[] {
  const mounted = new Set(mountNames(connection).map((name) => name.toLowerCase()));
  return frames.filter((name) => !mounted.has(name.toLowerCase()));
}

/** A table of another cell or a mount: it has no other name before it. */
const isBeside = ([name = '', ...more]: readonly string[], names: readonly string[]): boolean =>
  more.length === 0 && names.includes(name);

const isOfLake = (connection: Connection, parts: readonly string[]): boolean =>
  parts.length > 1 && textOf(connection, 'catalog')?.toLowerCase() === parts[0]?.toLowerCase();

/** Namespace and name of each table of the connection's catalog; without a namespace it is `main`. */
const lakeTablesOf = (connection: Connection, { tables }: Description): string[][] =>
  tables
    .filter((parts) => isOfLake(connection, parts))
    .map(([, ...rest]) => (rest.length === 1 ? ['main', ...rest] : rest));

const lookOf = (found: string, beside: Partial<OutsideLook> = {}): OutsideLook => ({
  inputs: {},
  lineage: {},
  ...beside,
  digest: createHash('sha256').update(found).digest('hex'),
});

/** The work as it looks to mounts: those that the connection shows and the query names. */
function withMounts(work: CellWork, connection: Connection): CellWork {
  const { cell, annotations, notebook } = work;
  const named = new Set(mountNames(connection).filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(cell.source)));
  const mounts = resolveMounts(annotations, cell, notebook).filter(({ name }) => named.has(name));
  return {
    ...work,
    notebook: { ...notebook, mounts: [] },
    annotations: { ...annotations, mounts: [], fetches: [] },
    cell: { ...cell, mounts },
  };
}

const connectionIn = ({ connections }: Notebook, { source }: Cell) =>
  connections.find(({ name }) => name === parseAnnotations(source).sql?.connection);

/** The driver of its connection decides how a query is read. */
export const dialectIn = (notebook: Notebook, cell: Cell): Dialect =>
  dialectOf(connectionIn(notebook, cell)?.driver ?? 'sqlite');

function bodyIn(notebook: Notebook, cell: Cell) {
  const dialect = dialectIn(notebook, cell);
  return { ...readSql(bodyOf(cell.source, 'sql'), dialect), dialect, connection: connectionIn(notebook, cell) };
}

/** Without a process to ask nothing is known; one that was asked and failed is told. */
async function describedOr(
  ask: () => Promise<Description[]>,
): Promise<{ readonly facts: readonly Description[]; readonly failure: string | null }> {
  try {
    return { facts: await ask(), failure: null };
  } catch (error) {
    return { facts: [], failure: error instanceof EngineRefused ? error.message : null };
  }
}

const factsOf = ({ problem, dynamic }: Description): SqlFacts => ({
  parseError: problem,
  dynamicTables: dynamic,
  failure: null,
});

function refusing<T>(errorType: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ConnectionRefused ? new CellRefused(errorType, error.message) : error;
  }
}

/** A process that does not start or died is told as the cell's failure. */
async function told<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted || !(error instanceof EngineError || error instanceof Refusal)) throw error;
    throw new CellRefused('SqlUnavailable', error.message);
  }
}
