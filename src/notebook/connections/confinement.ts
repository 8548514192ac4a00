// What a notebook may say of a connection on a shared server: its files lie inside the notebook or may be mounted, and nothing in
// it reaches for files, sockets or identities of the server. What an operator lends in a credential is not asked about.
import fs from 'node:fs';
import path from 'node:path';
import type { Connection } from '../document/index.ts';
import { textOf } from './identity.ts';
import type { ConnectionParts } from './parts.ts';

/** Why a shared server does not open it; null when it may be opened. */
export function confinement(parts: ConnectionParts, connection: Connection, directory: string): string | null {
  if (parts.personal) return null;
  const { driver } = connection;
  const reach = reachOf(connection);
  if (reach !== null) return reach;
  if (driver === 'sqlite' && textOf(connection, 'uri') !== undefined)
    return 'a SQLite uri is not allowed on this server; give a path inside the notebook';
  const key = driver === 'bigquery' ? 'credentials_path' : 'path';
  const written = textOf(connection, key);
  if (driver === 'bigquery' && written === undefined)
    return 'credentials_path is required on this server, and lies inside the notebook';
  if (
    written === undefined ||
    written === ':memory:' ||
    (driver !== 'bigquery' && driver !== 'sqlite' && driver !== 'duckdb')
  )
    return null;
  const place = path.resolve(directory, written);
  if (isInside(realPlace(place), realPlace(directory))) return null;
  return driver === 'bigquery' ? `${key} must lie inside the notebook` : parts.objection(realPlace(place));
}

interface Words {
  readonly auth: readonly string[];
  /** Behind the question mark of its address. */
  readonly uri: readonly string[];
}

const words: Readonly<Record<string, Words>> = {
  postgresql: {
    auth: ['user', 'password'],
    uri: [
      'user',
      'password',
      'port',
      'dbname',
      'sslmode',
      'application_name',
      'connect_timeout',
      'target_session_attrs',
    ],
  },
  snowflake: {
    auth: ['user', 'password', 'token', 'passcode', 'authenticator'],
    uri: ['user', 'password', 'account', 'role', 'warehouse', 'database', 'schema'],
  },
};

/** Ways to log in that need nothing of the server. */
const authenticators = ['snowflake', 'oauth', 'programmatic_access_token', 'username_password_mfa'];

/** Why it would use something of the server; null when it does not. */
function reachOf(connection: Connection): string | null {
  const { driver, auth } = connection;
  const known = words[driver];
  if (!known) return null;
  const field = Object.keys(auth).find((name) => !known.auth.includes(name));
  if (field !== undefined) return `auth.${field} may only be set by a credential of this server`;
  if (auth.authenticator !== undefined && !authenticators.includes(auth.authenticator.toLowerCase()))
    return `auth.authenticator must be one of ${authenticators.join(', ')} on this server`;
  const uri = textOf(connection, 'uri');
  if (uri !== undefined) return addressReach(driver, uri, known);
  if (driver === 'postgresql' && isSocket(textOf(connection, 'host') ?? 'localhost'))
    return 'host must be the name of a machine on this server, not a socket';
  return null;
}

function addressReach(driver: string, uri: string, known: Words): string | null {
  const found = /^([a-z]+):\/\/(?:[^@/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?$/i.exec(uri);
  const [, scheme = '', hosts = '', query = ''] = found ?? [];
  if (!found || !(scheme === driver || (driver === 'postgresql' && scheme === 'postgres')))
    return `uri must be written as ${driver}://host/… on this server`;
  const name = [...new URLSearchParams(query).keys()].find((one) => !known.uri.includes(one));
  if (name !== undefined) return `'${name}' may not be part of an address on this server`;
  return hosts.split(',').some(isSocket) ? 'uri must name a machine on this server, not a socket' : null;
}

const isSocket = (host: string): boolean => /^(?:$|:|\/|@|%2f|%40)/i.test(host.trim());

function isInside(place: string, folder: string): boolean {
  const way = path.relative(folder, place);
  return way !== '' && !way.startsWith('..') && !path.isAbsolute(way);
}

/** Where a place really is, as far as it exists: a link must not lead out. */
function realPlace(place: string): string {
  try {
    return fs.realpathSync(place);
  } catch {
    const parent = path.dirname(place);
    return parent === place ? place : path.join(realPlace(parent), path.basename(place));
  }
}
