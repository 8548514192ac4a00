// Which database a connection leads to. That is part of how a result came about; passwords and the like are not.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Dialect } from '../../sql/index.ts';
import type { Connection } from '../document/index.ts';

const dialects = {
  bigquery: 'bigquery',
  duckdb: 'duckdb',
  postgresql: 'postgres',
  snowflake: 'snowflake',
  sqlite: 'sqlite',
} as const satisfies Readonly<Record<string, Dialect>>;

export type Driver = keyof typeof dialects;

export const knownDrivers: readonly string[] = Object.keys(dialects);

export const isKnownDriver = (driver: string): driver is Driver => Object.hasOwn(dialects, driver);

/** How the SQL of a connection is read; what is not known is read as most databases would. */
export const dialectOf = (driver: string): Dialect => (isKnownDriver(driver) ? dialects[driver] : 'sqlite');

export const unknownDriver = (driver: string): string =>
  `unknown SQL driver: '${driver}'. Known drivers: ${knownDrivers.join(', ')}`;

/** A key of the driver's own that holds a text or a number; undefined when it holds nothing of use. */
export function textOf({ extras }: Connection, key: string): string | undefined {
  const value = extras[key];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Names of mounts that a DuckDB connection shows as views. */
export const mountNames = ({ extras: { mounts } }: Pick<Connection, 'extras'>): string[] =>
  Array.isArray(mounts) ? mounts.filter((name) => typeof name === 'string') : [];

const identifying: Readonly<Record<Driver, readonly string[]>> = {
  bigquery: ['project_id', 'dataset_id', 'credentials_path'],
  duckdb: ['catalog'],
  postgresql: ['host', 'port', 'database', 'user', 'role'],
  snowflake: ['account', 'user', 'role', 'warehouse', 'database', 'schema'],
  sqlite: [],
};

/** What only matters to cells that write. */
const identifyingWrites: Readonly<Partial<Record<Driver, readonly string[]>>> = {
  bigquery: ['write_credentials_path'],
  snowflake: ['write_role'],
};

export function connectionId(connection: Connection, directory: string, write: boolean): string {
  const { driver, credential, auth, options } = connection;
  if (!isKnownDriver(driver)) return `unknown\0${driver}`;
  const keys = [...identifying[driver], ...(write ? (identifyingWrites[driver] ?? []) : [])];
  const place = textOf(connection, 'path');
  const identity = {
    driver,
    ...Object.fromEntries(keys.map((key) => [key, textOf(connection, key) ?? null])),
    path: place === undefined || place === ':memory:' ? (place ?? null) : path.resolve(directory, place),
    uri: withoutPassword(textOf(connection, 'uri') ?? ''),
    login: auth.user ?? null,
    mounts: mountNames(connection).sort(),
    search_path: typeof options.search_path === 'string' ? options.search_path : null,
    credential,
  };
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}

/** Nor how it is opened: reading or writing is the cell's own word. */
function withoutPassword(uri: string): string {
  return uri
    .replace(/(\/\/[^:@/]*):[^@/]*@/, '$1@')
    .replace(/([?&])(?:password|mode|immutable)=[^&]*/g, '$1')
    .replace(/(?<![?&])[?&]+$/, '');
}
