// SQL cells: one query on a connection of the notebook, its values bound beside the text, its rows the cell's one variable.
import { createHash, randomUUID } from 'node:crypto';
import { EngineError } from '../../engine/index.ts';
import { Refusal } from '../../errors/index.ts';
import { fingerprintOf } from '../../files/index.ts';
import { type Description, probeSql, readSql, type SqlBody, type SqlProcesses } from '../../sql/index.ts';
import { type Annotations, bodyOf, outputVariable, parseAnnotations, resolveMounts } from '../annotations/index.ts';
import {
  type ConnectionParts,
  ConnectionRefused,
  connectionId,
  dialectOf,
  knownDrivers,
  mountNames,
  type Opened,
  openConnection,
  placeOf,
  textOf,
} from '../connections/index.ts';
import type { Cell, Connection, Notebook } from '../document/index.ts';
import { CellRefused, type CellWork, type Language, type SqlFacts } from './language.ts';
import { noNames } from './sourceDigest.ts';
import { createDescriber } from './sqlDescriptions.ts';
import { policyOf, saltOf } from './sqlPolicy.ts';

export interface SqlParts extends ConnectionParts {
  readonly processes: SqlProcesses;
  /** Who opened the session. */
  readonly principal: string | null;
  readonly now?: () => number;
}

/** A cell that has passed every check that needs no database. */
interface Prepared {
  readonly connection: Connection;
  readonly body: SqlBody;
  readonly described: Description;
  readonly write: boolean;
  readonly opened: Opened;
}

export function sqlLanguage(parts: SqlParts): Language {
  const { processes, personal, principal, now = () => Date.now() / 1000 } = parts;
  const describe = createDescriber(processes);

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
      principal,
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
    const lakeTables = lakeTablesOf(connection, described);
    return { connection, body, described, write, opened: { ...open, connection: { ...open.connection, lakeTables } } };
  }

  /** What the tables, files and mounts that a query reads look like now. */
  async function freshness(work: CellWork, prepared: Prepared, signal: AbortSignal): Promise<unknown> {
    const { connection, body, described, opened } = prepared;
    if (described.dynamic.length > 0) return randomUUID();
    const mounted = mountNames(connection);
    const mounts = resolveMounts(work.annotations, work.cell, work.notebook).filter(({ name }) =>
      mounted.includes(name),
    );
    const files = await Promise.all(
      mounts.map(async (mount) => [mount.name, await fingerprintOf(placeOf(mount, work.notebook.directory))]),
    );
    const tables = described.tables.filter(
      (parts) => !isOfLake(connection, parts) && !isBeside(parts, [...body.tables, ...mounted]),
    );
    if (tables.length === 0 && lakeTablesOf(connection, described).length === 0) return { files };
    const found = await probeSql(processes, { connection: opened.connection, tables }, signal);
    if ('error' in found) throw new CellRefused('SqlProbeFailed', opened.hide(found.error));
    // A table of a lake that was never written to has nothing to be known by.
    if (JSON.stringify(found.freshness)?.includes(':null')) return randomUUID();
    // Where the database cannot tell, a result holds as long as the session.
    return { files, ...found, freshness: found.freshness ?? `session:${work.sessionId}` };
  }

  return {
    async read(cells, notebook) {
      const bodies = cells.map((cell) => bodyIn(notebook, cell));
      const facts = await describe(bodies).catch(() => []);
      return cells.map(({ source }, index) => {
        const annotations = parseAnnotations(source);
        const body = bodies[index];
        if (!body) return { names: noNames, digest: '' };
        const digest = `${body.digest}:${annotations.sql?.write ?? false}`;
        const names = { ...noNames, defines: [outputVariable(annotations)], references: body.references };
        const described = facts[index];
        return { names, digest, ...(described ? { sql: factsOf(described) } : {}) };
      });
    },

    environment(notebook, annotations) {
      const connection = notebook.connections.find(({ name }) => name === annotations.sql?.connection);
      if (!connection) return 'sql';
      return `sql\0${connectionId(connection, notebook.directory, annotations.sql?.write ?? false)}`;
    },

    outside: {
      asks: ({ annotations: { sql, cache } }) => JSON.stringify([sql, cache]),
      async look(work, { signal, mayAsk }) {
        const salt = saltOf(work.annotations, work.sessionId, now());
        if (!mayAsk) return salt === undefined ? undefined : lookOf(salt);
        return told(async () => {
          const prepared = await prepare(work);
          return lookOf(salt ?? JSON.stringify(await freshness(work, prepared, signal)));
        }, signal);
      },
    },

    async engage(work) {
      const { body, described, write, opened } = await told(() => prepare(work));
      const { runSqlCell } = await import('./sqlRun.ts');
      return {
        run: (job, _onEvent, signal) =>
          runSqlCell(
            {
              processes,
              body,
              kinds: described.statements.map(({ kind }) => kind),
              write,
              connection: opened.connection,
              hide: opened.hide,
              variable: outputVariable(work.annotations),
              job,
            },
            signal,
          ),
      };
    },
  };
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

const lookOf = (found: string) => ({
  digest: createHash('sha256').update(found).digest('hex'),
  inputs: {},
  lineage: {},
});

function bodyIn(notebook: Notebook, { source }: Cell) {
  const { sql } = parseAnnotations(source);
  const driver = notebook.connections.find(({ name }) => name === sql?.connection)?.driver ?? 'sqlite';
  const dialect = dialectOf(driver);
  return { ...readSql(bodyOf(source, 'sql'), dialect), dialect };
}

const factsOf = ({ problem, dynamic }: Description): SqlFacts => ({
  parseError: problem,
  dynamicTables: dynamic,
  failure: null,
});

function namedConnection(notebook: Notebook, { sql }: Annotations): Connection {
  const name = sql?.connection ?? null;
  if (name === null)
    throw new CellRefused(
      'SqlConnectionMissing',
      'The cell names no connection: begin it with # @sql connection=<name>.',
    );
  const malformed = notebook.malformedConnections.find((one) => one.name === name);
  if (malformed)
    throw new CellRefused('ConnectionMalformed', `[connections.${name}] cannot be used: ${malformed.error}`);
  const found = notebook.connections.find((one) => one.name === name);
  if (!found)
    throw new CellRefused(
      'SqlConnectionUnknown',
      `Connection '${name}' is not declared: add a [connections.${name}] block with driver = one of ${knownDrivers.join(', ')}.`,
    );
  return found;
}

const otherFiles: ReadonlySet<string> = new Set(['ATTACH', 'DETACH', 'VACUUM']);

function checkStatements(
  { statements, problem }: Description,
  { write, confined, driver }: { readonly write: boolean; readonly confined: boolean; readonly driver: string },
): void {
  const mustParse = !write || (confined && driver === 'sqlite');
  if (problem !== null && mustParse) throw new CellRefused('SqlParseError', `SQL parse error: ${problem}`);
  const changes = write ? undefined : statements.find(({ reads }) => !reads);
  if (changes)
    throw new CellRefused(
      'SqlReadOnly',
      `${changes.kind} is not a read: a SQL cell only reads unless it says # @sql connection=<name> write=true.`,
    );
  const escapes = write && confined && driver === 'sqlite' && statements.find(({ kind }) => otherFiles.has(kind));
  if (escapes) throw new CellRefused('SqlForbidden', `${escapes.kind} is not allowed on this server.`);
}

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
