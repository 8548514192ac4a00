// What is asked of the data processes about tables, typed, and what their refusals mean.
import { z } from 'zod';
import { type Engine, EngineRefused, EngineTimeout } from '../engine/index.ts';
import { hiding, type Refusal, refusals, secretsIn } from '../errors/index.ts';
import type { TableCatalog } from './catalogs/catalogs.ts';
import type { Properties } from './catalogs/storage.ts';

export type Asks = Pick<Engine, 'request'>;

const located = z.object({ metadataLocation: z.string(), io: z.record(z.string(), z.string()) });

const rowGroup = z.object({
  index: z.int(),
  /** The position of its first row in the file. */
  start: z.int(),
  rows: z.int(),
  /** Decoded size of the asked columns, as the footer tells. */
  bytes: z.int(),
  /** Every row matches the filters. */
  all: z.boolean(),
});

const plannedFile = z.object({
  path: z.string(),
  size: z.int(),
  constants: z.record(z.string(), z.string()),
  positional: z.array(z.string()),
  equality: z.array(z.object({ path: z.string(), keys: z.array(z.int()) })),
  rowGroups: z.array(rowGroup),
});

/** In memory of their own: a plan is kept for long, and small buffers otherwise hold 64 KiB that they share with others. */
function lastingBytes(base64: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(base64, 'base64'));
  bytes.write(base64, 'base64');
  return bytes;
}

const planned = z.object({
  tableUuid: z.string(),
  snapshotId: z.string().nullable(),
  schemaId: z.int(),
  reading: z.string(),
  schemaMessage: z.base64().transform(lastingBytes),
  schemaText: z.string(),
  files: z.array(plannedFile),
  prunedRowGroups: z.int(),
  /** What the planning process remembers of data files. */
  footers: z.object({ size: z.int(), maxSize: z.int(), hits: z.int(), misses: z.int(), evictions: z.int() }),
});

const written = z.object({ rows: z.int(), bytes: z.int() });

export type Located = z.infer<typeof located>;
export type Planned = z.infer<typeof planned>;
export type PlannedFile = z.infer<typeof plannedFile>;
export type RowGroup = z.infer<typeof rowGroup>;
export type Written = z.infer<typeof written>;

/** What a plan and every read under it have in common. */
export interface TableReading {
  readonly metadataLocation: string;
  readonly io: Properties;
  /** As it was asked for; null for the current one. */
  readonly snapshotId: string | null;
  /** Empty for all. */
  readonly columns: readonly string[];
  /** JSON text, with numbers as they were sent. */
  readonly filters: string;
  readonly identity: string;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The imports take seconds on a cold disk. */
const prepareTimeoutMs = 120_000;

export const prepareReader = (engine: Asks) =>
  engine.request('table_prepare', {}, { schema: z.null(), timeoutMs: prepareTimeoutMs });

export const locateTable = (engine: Asks, catalog: TableCatalog, namespace: string, table: string, limits: Limits) =>
  hidden(
    catalog.properties,
    engine.request(
      'table_locate',
      { catalog: catalog.name, properties: catalog.properties, namespace, table },
      { schema: located, ...limits },
    ),
  );

export const planScan = (engine: Asks, scan: TableReading, maxEqualityDeleteRows: number, limits: Limits) =>
  hidden(
    scan.io,
    engine.request('table_plan', { ...sent(scan), maxEqualityDeleteRows }, { schema: planned, ...limits }),
  );

export const readRowGroup = (
  engine: Asks,
  scan: TableReading,
  { rowGroups: _all, ...file }: PlannedFile,
  group: RowGroup,
  place: { readonly batchSize: number; readonly target: string },
  limits: Limits,
): Promise<Written> =>
  hidden(
    scan.io,
    engine.request('table_read', { ...sent(scan), file, rowGroup: group, ...place }, { schema: written, ...limits }),
  );

/** Reads rows and columns out of a row group that was decoded before. */
export const narrowRowGroup = (
  engine: Asks,
  scan: TableReading,
  from: { readonly source: string; readonly sourceColumns: readonly string[]; readonly target: string },
  limits: Limits,
): Promise<Written> =>
  engine.request(
    'table_narrow',
    { ...sent(scan), ...from, sourceColumns: [...from.sourceColumns] },
    { schema: written, ...limits },
  );

export interface AssembledStream {
  readonly schemaMessage: Buffer;
  readonly files: readonly string[];
  readonly target: string;
}

const assembled = z.object({ byteSize: z.int(), sha256: z.string() });

/** Writes decoded row groups of one schema as one Arrow stream, and sums it up. */
export const assembleStream = (engine: Asks, stream: AssembledStream, limits: Limits) =>
  engine.request('table_assemble', { ...assembling(stream), summed: true }, { schema: assembled, ...limits });

/** The same for a file that lives as long as the work on it, without the sum: that takes longer than everything else. */
export const assembleUnsummed = (engine: Asks, stream: AssembledStream, limits: Limits) =>
  engine.request(
    'table_assemble',
    { ...assembling(stream), summed: false },
    { schema: z.object({ byteSize: z.int() }), ...limits },
  );

const assembling = ({ schemaMessage, files, target }: AssembledStream) => ({
  schemaMessage: schemaMessage.toString('base64'),
  files: [...files],
  target,
});

const queried = assembled.extend({ rows: z.int(), schemaText: z.string() });

export interface Query {
  readonly sql: string;
  /** Arrow streams, which the query knows as `input0`, `input1`, … */
  readonly inputs: readonly string[];
  readonly target: string;
  /** Where it may spill what does not fit into its memory. */
  readonly spill: string;
  readonly memoryBytes: number;
  readonly maxBytes: number;
}

/** Runs one query over its inputs and nothing else. */
export const runQuery = (engine: Asks, query: Query, limits: Limits) =>
  engine.request('table_sql', { ...query, inputs: [...query.inputs] }, { schema: queried, ...limits });

const wrote = z.object({ snapshotId: z.string().nullable(), created: z.boolean() });

export interface EngineWrite {
  readonly source: string;
  readonly mode: 'append' | 'overwrite' | 'merge';
  readonly on: readonly string[];
  readonly foreign: boolean;
  readonly tenant: string;
  readonly summary: Readonly<Record<string, string>>;
  readonly tag: string | null;
}

export const writeRows = (
  engine: Asks,
  catalog: TableCatalog,
  table: { readonly namespace: string; readonly table: string },
  rows: EngineWrite,
  limits: Limits,
) =>
  hidden(
    catalog.properties,
    engine.request(
      'table_write',
      { catalog: catalog.name, properties: catalog.properties, ...table, ...rows, on: [...rows.on] },
      { schema: wrote, ...limits },
    ),
  );

const sent = (scan: TableReading) => ({ ...scan, columns: [...scan.columns] });

/** What a catalog or a store says of its failure is told without what it was opened with. */
async function hidden<T>(properties: Properties, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    const hide = hiding(secretsIn(properties));
    throw new EngineRefused(error.engine, error.type, hide(error.reason), hide(error.message));
  }
}

const meanings: Readonly<Record<string, (reason: string, uri: string) => Refusal>> = {
  TableNotFound: (_reason, uri) => refusals.tableAbsent(uri),
  SnapshotNotFound: (reason) => refusals.snapshotAbsent(reason),
  ScanInvalid: (reason) => refusals.scanInvalid(reason),
  TableUnreadable: (reason) => refusals.tableUnreadable(reason),
  StorageUnreachable: (_reason, uri) => refusals.storageUnreachable(uri),
  CatalogUnreachable: (_reason, uri) => refusals.catalogUnreachable(uri),
  WriteRefused: (reason) => refusals.tableWriteRefused(reason),
  WriteConflict: (reason) => refusals.tableWriteConflict(reason),
};

/** The refusal behind an error of a data process, or the error itself. */
export function meaningOf(error: unknown, uri: string): unknown {
  return error instanceof EngineRefused ? (meanings[error.type]?.(error.reason, uri) ?? error) : error;
}

export const isTimeout = (error: unknown): boolean =>
  error instanceof EngineTimeout || (error instanceof DOMException && error.name === 'TimeoutError');
