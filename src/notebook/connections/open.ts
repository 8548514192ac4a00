// From a connection's block to what opens it: paths made absolute, references replaced by what they stand for, and on a
// shared server only files that belong to the notebook or may be mounted.
import path from 'node:path';
import { CredentialRefused, type Credentials } from '../../credentials/index.ts';
import type { Json } from '../../engine/index.ts';
import { hiding, secretsIn } from '../../errors/index.ts';
import type { OpenConnection } from '../../sql/index.ts';
import { type Connection, isIndirection, type Mount, type Notebook } from '../document/index.ts';
import { confinement } from './confinement.ts';
import { isKnownDriver, mountNames, textOf, unknownDriver } from './identity.ts';
import type { ConnectionParts } from './parts.ts';

export interface ConnectionUse {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  /** Catalogs that the notebook itself defines. */
  readonly catalogs: Notebook['catalogs'];
  readonly write: boolean;
  readonly principal: string | null;
}

/** A connection that cannot be opened as it is written. */
export class ConnectionRefused extends Error {
  override name = 'ConnectionRefused';
}

export interface Opened {
  readonly connection: OpenConnection;
  /** Takes secrets out of what a driver says. */
  readonly hide: (text: string) => string;
}

const passed: readonly string[] = [
  'host',
  'port',
  'database',
  'user',
  'role',
  'write_role',
  'account',
  'warehouse',
  'schema',
  'project_id',
  'dataset_id',
];

export function openConnection(parts: ConnectionParts, connection: Connection, use: ConnectionUse): Opened {
  const { driver, options } = connection;
  if (!isKnownDriver(driver)) throw new ConnectionRefused(unknownDriver(driver));
  const problem = confinement(parts, connection, use.directory);
  if (problem !== null) throw new ConnectionRefused(`connection '${connection.name}': ${problem}`);
  checkMounts(connection, use);
  const auth = authOf(parts, connection, use);
  const catalog = catalogOf(parts, connection, use);
  const uri = textOf(connection, 'uri');
  const given: Record<string, Json> = {};
  for (const key of passed) {
    const value = textOf(connection, key);
    if (value !== undefined) given[key] = value;
  }
  for (const key of ['credentials_path', 'write_credentials_path']) {
    const value = textOf(connection, key);
    if (value !== undefined) given[key] = path.resolve(use.directory, value);
  }
  return {
    connection: {
      driver,
      ...given,
      ...fileOf(connection, use.directory),
      ...(uri === undefined ? {} : { uri }),
      ...(typeof options.search_path === 'string' ? { search_path: options.search_path } : {}),
      ...(typeof options.endpoint === 'string' && parts.personal ? { endpoint: options.endpoint } : {}),
      auth,
      ...catalog,
      confined: !parts.personal,
    },
    hide: hiding([...secretsIn({ auth, uri }), ...secretsIn(catalog)]),
  };
}

function fileOf(connection: Connection, directory: string): { path?: string } {
  const { driver, name } = connection;
  if (driver !== 'sqlite' && driver !== 'duckdb') return {};
  const written = textOf(connection, 'path');
  if (written === undefined) {
    if (driver === 'sqlite' && textOf(connection, 'uri') !== undefined) return {};
    throw new ConnectionRefused(`connection '${name}' has no path: name a file, or :memory:`);
  }
  return { path: written === ':memory:' ? written : path.resolve(directory, written) };
}

function authOf(
  { personal, serverEnv, credentials }: ConnectionParts,
  { name, auth, credential }: Connection,
  { directory, env, write, principal }: ConnectionUse,
): Record<string, string> {
  const lent = credential === null ? {} : lentFields(credentials, credential, { directory, env });
  if (credential !== null && write && !credentials.mayWrite(credential, principal))
    throw new ConnectionRefused(
      `Credential '${credential}' may only be used for reading; its writers are set by the server.`,
    );
  const own = Object.entries(auth).flatMap(([field, value]) => {
    if (value === '') return [];
    if (!isIndirection(value)) return [[field, value] as const];
    const variable = value.slice(2, -1);
    const found = personal ? (serverEnv[variable] ?? env[variable]) : env[variable];
    if (found === undefined || found === '')
      throw new ConnectionRefused(`connection '${name}': auth.${field} refers to ${variable}, which is not set`);
    return [[field, found] as const];
  });
  return { ...lent, ...Object.fromEntries(own) };
}

function lentFields(
  credentials: Pick<Credentials, 'fieldsOf'>,
  name: string,
  use: { readonly directory: string; readonly env: Readonly<Record<string, string>> },
): Record<string, string> {
  try {
    return credentials.fieldsOf(name, use);
  } catch (error) {
    throw error instanceof CredentialRefused ? new ConnectionRefused(error.message) : error;
  }
}

/** The catalog that a DuckDB connection shows, with what opens it. The notebook's own come before the server's. */
function catalogOf(parts: ConnectionParts, connection: Connection, use: ConnectionUse): Record<string, Json> {
  const name = connection.driver === 'duckdb' ? textOf(connection, 'catalog') : undefined;
  if (name === undefined) return {};
  if (use.write)
    throw new ConnectionRefused(`connection '${connection.name}' shows a catalog and cannot be opened for writing`);
  const found = definitionOf(parts, name, use.catalogs);
  if (!found)
    throw new ConnectionRefused(`connection '${connection.name}' names the catalog '${name}', which is not defined`);
  const { svc_credential: credential, ...own } = found;
  const lent = typeof credential === 'string' ? lentFields(parts.credentials, credential, use) : {};
  const properties = Object.fromEntries(
    Object.entries({ ...lent, ...own }).map(([key, value]) => [key, String(value)]),
  );
  return { catalog: { name, properties } };
}

const definitionOf = (
  { personal, credentials }: Pick<ConnectionParts, 'personal' | 'credentials'>,
  name: string,
  catalogs: Notebook['catalogs'],
) => (personal ? catalogs[name] : undefined) ?? credentials.catalogs()[name];

/** The credential that opens the catalog which a connection shows; null when it names none. */
export function catalogCredential(
  parts: Pick<ConnectionParts, 'personal' | 'credentials'>,
  connection: Connection,
  catalogs: Notebook['catalogs'],
): string | null {
  const credential = definitionOf(parts, textOf(connection, 'catalog') ?? '', catalogs)?.svc_credential;
  return typeof credential === 'string' ? credential : null;
}

/** Throws for a mount that a connection cannot show. */
function checkMounts({ name, driver, ...connection }: Connection, { mounts, write }: ConnectionUse): void {
  const names = driver === 'duckdb' ? mountNames(connection) : [];
  if (names.length > 0 && write)
    throw new ConnectionRefused(`connection '${name}' shows mounts and cannot be opened for writing`);
  for (const wanted of names) {
    const mount = mounts.find((one) => one.name === wanted);
    if (!mount) throw new ConnectionRefused(`connection '${name}' names the mount '${wanted}', which is not declared`);
    if (mount.mode === 'rw')
      throw new ConnectionRefused(`mount '${wanted}' is read-write; a connection shows only read-only mounts`);
  }
}
