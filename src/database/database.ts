// One small interface over the two databases that metadata may live in. SQL is written once, with `?` placeholders and
// types that both understand (TEXT, BIGINT, DOUBLE PRECISION). Every statement outside `transaction` commits by itself.

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

export interface Queries {
  all<T>(sql: string, params: readonly SqlValue[], decode: (row: Row) => T): Promise<T[]>;
  get<T>(sql: string, params: readonly SqlValue[], decode: (row: Row) => T): Promise<T | undefined>;
  /** Returns how many rows the statement changed. */
  run(sql: string, params?: readonly SqlValue[]): Promise<number>;
}

export interface Database extends Queries {
  readonly dialect: 'sqlite' | 'postgresql';
  /** For queries that read much: they never hold up the event loop. */
  readonly beside: Pick<Queries, 'all' | 'get'>;
  /** Seconds since 1970, by the one clock of all servers on this database: moments that it keeps are compared with no other. */
  now(): number;
  /** Writers are serialised where the database demands it; a thrown error rolls everything back. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
