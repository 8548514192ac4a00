// For how long the result of a query holds: what its key is salted with, or that the database is asked.
import type { Annotations, CachePolicy } from '../annotations/index.ts';
import { textOf } from '../connections/index.ts';
import type { Connection } from '../document/index.ts';
import { CellRefused } from './language.ts';

function chosen({ cache, sql }: Annotations): CachePolicy {
  return cache ?? { kind: sql?.write ? 'session' : 'fingerprint' };
}

/** Throws CellRefused for a policy that the cell cannot have. */
export function policyOf(annotations: Annotations, connection: Connection): CachePolicy {
  const policy = chosen(annotations);
  const asksDatabase = policy.kind === 'fingerprint' || policy.kind === 'snapshot';
  if (annotations.sql?.write && asksDatabase)
    throw new CellRefused(
      'SqlCachePolicy',
      `@cache ${policy.kind} is for cells that read; one that writes takes session, forever or ttl=<seconds>.`,
    );
  if (policy.kind === 'snapshot' && !hasSnapshots(connection))
    throw new CellRefused(
      'SqlCachePolicy',
      `@cache snapshot needs a database that keeps snapshots (Snowflake, BigQuery, DuckDB with a catalog); ${connection.driver} keeps none.`,
    );
  return policy;
}

const hasSnapshots = (connection: Connection): boolean =>
  connection.driver === 'snowflake' ||
  connection.driver === 'bigquery' ||
  (connection.driver === 'duckdb' && textOf(connection, 'catalog') !== undefined);

/** Undefined when only a look at the database can tell. */
export function saltOf(annotations: Annotations, openingId: string, now: number): string | undefined {
  const policy = chosen(annotations);
  switch (policy.kind) {
    case 'forever':
      return 'forever';
    case 'session':
      return `session:${openingId}`;
    case 'ttl':
      return `ttl:${policy.seconds}:${Math.floor(now / policy.seconds)}`;
    case 'snapshot':
      return 'snapshot';
    default:
      return undefined;
  }
}
