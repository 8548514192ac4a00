// What can be asked of a SQL process, typed. A database's own refusal is an answer with an error and no exception.
import { z } from 'zod';
import type { JsonObject } from '../engine/index.ts';
import type { Dialect } from './lexer.ts';
import type { SqlProcesses } from './processes.ts';
import type { Statement } from './statements.ts';

const description = z.object({
  statements: z.array(z.object({ kind: z.string(), reads: z.boolean() })),
  /** Each as the parts of its name. */
  tables: z.array(z.array(z.string())),
  /** Those that may be values of other cells: no other name stands before them, and the query does not make them. */
  frames: z.array(z.string()),
  /** Files that are read by their names, as they are written. */
  files: z.array(z.string()),
  /** What is only known when the query runs. */
  dynamic: z.array(z.string()),
  problem: z.string().nullable(),
});

const failure = z.object({ error: z.string() });
const stored = z.object({
  bytes: z.int(),
  sha256: z.string(),
  rows: z.int(),
  columns: z.array(z.string()),
  markdown: z.string(),
});
const readFile = z.object({
  path: z.string(),
  identity: z.object({ size: z.int(), mtimeNs: z.string(), ino: z.string() }),
});
const result = z.union([z.object({ result: stored, files: z.array(readFile) }), failure]);
const freshness = z.union([z.object({ freshness: z.unknown(), schema: z.unknown() }), failure]);
const weights = z.union([
  z.object({
    tables: z.record(z.string(), z.object({ snapshot: z.string().nullable(), bytes: z.int().nullable() })),
  }),
  failure,
]);
const schemaBody = z.union([
  z.object({
    tables: z.array(
      z.object({
        catalog: z.string().nullable(),
        schema: z.string().nullable(),
        name: z.string(),
        columns: z.array(z.object({ name: z.string(), type: z.string(), nullable: z.boolean() })),
      }),
    ),
  }),
  failure,
]);

export type Description = z.infer<typeof description>;
export type StoredResult = z.infer<typeof stored>;

/** A connection with everything that opens it; never shown, never logged. */
export type OpenConnection = JsonObject & { readonly driver: string };

/** A query may take as long as its database lets it; whoever waits cancels. */
const timeoutMs = 2 ** 31 - 1;
const lookMs = 60_000;

type Asks = Pick<SqlProcesses, 'ask'>;

export interface Described {
  readonly statements: readonly Statement[];
  readonly dialect: Dialect;
}

export async function describeSql(processes: Asks, queries: readonly Described[]): Promise<Description[]> {
  const asked = queries.map(({ statements, dialect }) => ({ statements: statements.map(({ text }) => text), dialect }));
  const schema = z.object({ queries: z.array(description) });
  return (await processes.ask('describe', { queries: asked }, { schema, timeoutMs: lookMs })).queries;
}

export interface Probe {
  readonly connection: OpenConnection;
  readonly tables: readonly (readonly string[])[];
}

export const probeSql = (processes: Asks, { connection, tables }: Probe, signal: AbortSignal) =>
  processes.ask(
    'probe',
    { connection, tables: tables.map((parts) => [...parts]) },
    { schema: freshness, timeoutMs: lookMs, signal },
  );

/** How much the tables that a connection shows from its catalog hold, by address. */
export const weighSql = (processes: Asks, connection: OpenConnection, signal: AbortSignal) =>
  processes.ask('weigh', { connection }, { schema: weights, timeoutMs: lookMs, signal });

export interface ValueFile {
  readonly contentType: string;
  readonly file: string;
}

export interface Query {
  readonly connection: OpenConnection;
  readonly statements: readonly (Statement & { readonly kind: string })[];
  readonly binds: Readonly<Record<string, ValueFile>>;
  /** Tables of other cells, by name: Arrow streams. */
  readonly tables: Readonly<Record<string, string>>;
  /** The same where the database has no table of that name. */
  readonly frames: Readonly<Record<string, string>>;
  /** Where the result goes. */
  readonly file: string;
}

export const runSql = (processes: Asks, query: Query, write: boolean, signal: AbortSignal) =>
  processes.ask(
    write ? 'write' : 'query',
    {
      ...query,
      statements: query.statements.map(({ text, binds, kind }) => ({ text, binds: [...binds], kind })),
      binds: Object.fromEntries(
        Object.entries(query.binds).map(([name, { contentType, file }]) => [name, { contentType, file }]),
      ),
    },
    { schema: result, timeoutMs, signal },
  );

export const schemaSql = (processes: Asks, name: string, connection: OpenConnection) =>
  processes.ask('schema', { name, connection }, { schema: schemaBody, timeoutMs: lookMs });

const rowsBody = z.union([
  z.object({
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    rows: z.array(z.array(z.string().nullable())),
  }),
  failure,
]);

/** The first rows of a table, whose name is given by its parts. */
export const previewSql = (
  processes: Asks,
  { connection, table, rows }: { connection: OpenConnection; table: readonly string[]; rows: number },
) => processes.ask('preview', { connection, table: [...table], rows }, { schema: rowsBody, timeoutMs: lookMs });

const words = z.union([z.object({ names: z.array(z.string()) }), failure]);

/** The functions that a driver knows without a database; none where only the database could tell. */
export const functionsSql = (processes: Asks, driver: string) =>
  processes.ask('functions', { driver }, { schema: words, timeoutMs: lookMs });

/** The columns of a file that a query reads by its name. */
export const columnsSql = (processes: Asks, connection: OpenConnection) =>
  processes.ask('columns', { connection }, { schema: words, timeoutMs: lookMs });
