import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CredentialRefused } from '../../credentials/index.ts';
import type { Connection } from '../document/index.ts';
import { connectionId } from './identity.ts';
import { openConnection } from './open.ts';
import type { ConnectionParts } from './parts.ts';

const connection = (driver: string, extras: object, more: Partial<Connection> = {}): Connection => ({
  name: 'db',
  driver,
  auth: {},
  options: {},
  credential: null,
  extras: { ...extras },
  ...more,
});

const idOf = (one: Connection, write = false): string => connectionId(one, '/books/b', write);

describe('which database a connection leads to', () => {
  it('does not depend on how its place is written, nor on secrets', () => {
    const same: [Connection, Connection][] = [
      [connection('sqlite', { path: 'a.db' }), connection('sqlite', { path: '/books/b/./a.db' })],
      [connection('sqlite', { uri: 'file:a.db?mode=ro' }), connection('sqlite', { uri: 'file:a.db?mode=rwc' })],
      [
        connection('postgresql', { uri: 'postgresql://u:one@h/d' }),
        connection('postgresql', { uri: 'postgresql://u:two@h/d' }),
      ],
      [
        connection('postgresql', { host: 'h' }, { auth: { password: 'one' } }),
        connection('postgresql', { host: 'h' }, { auth: { password: 'two' } }),
      ],
      [connection('snowflake', { account: 'a', write_role: 'w' }), connection('snowflake', { account: 'a' })],
      [
        connection('duckdb', { path: 'd', mounts: ['a', 'b'] }),
        connection('duckdb', { path: 'd', mounts: ['b', 'a'] }),
      ],
    ];
    for (const [one, other] of same) assert.equal(idOf(one), idOf(other));
  });

  it('depends on everything that leads elsewhere, and on the name of a credential', () => {
    const all = [
      connection('sqlite', { path: 'a.db' }),
      connection('duckdb', { path: 'a.db' }),
      connection('duckdb', { path: 'a.db', catalog: 'c' }),
      connection('postgresql', { host: 'h' }),
      connection('postgresql', { host: 'h', role: 'r' }),
      connection('postgresql', { host: 'h' }, { options: { search_path: 's' } }),
      connection('postgresql', { host: 'h' }, { credential: 'main' }),
      connection('postgresql', { host: 'h' }, { auth: { user: 'u' } }),
    ];
    assert.equal(new Set(all.map((one) => idOf(one))).size, all.length);
    const snow = connection('snowflake', { account: 'a', write_role: 'w' });
    assert.notEqual(idOf(snow), idOf(snow, true));
  });
});

describe('what opens a connection', () => {
  const parts: ConnectionParts = {
    personal: true,
    serverEnv: { ON_SERVER: 'server' },
    credentials: {
      fieldsOf(name) {
        if (name !== 'main') throw new CredentialRefused(`Credential '${name}' is not defined`);
        return { user: 'lent', password: 'lent-word' };
      },
      mayWrite: () => false,
      catalogs: () => ({ lake: { type: 'rest', svc_credential: 'main', user: 'own' } }),
    },
    objection: (place) => (place.startsWith('/srv/') ? null : `${place} may not be used`),
  };
  const use = {
    directory: '/books/b',
    env: { IN_BOOK: 'book' },
    mounts: [],
    catalogs: {},
    write: false,
    principal: null,
  };
  const refer = (name: string): string => `\${${name}}`;

  it('is its own credentials over those of a named one', () => {
    const one = connection('postgresql', { host: 'h' }, { credential: 'main', auth: { user: refer('ON_SERVER') } });
    const { connection: opened, hide } = openConnection(parts, one, use);
    assert.deepEqual(opened, {
      driver: 'postgresql',
      host: 'h',
      auth: { user: 'server', password: 'lent-word' },
      confined: false,
    });
    assert.equal(hide('no lent-word for server'), 'no *** for server');
  });

  it('is a catalog with its credential beneath its own keys', () => {
    const one = connection('duckdb', { path: ':memory:', catalog: 'lake' });
    const { catalog } = openConnection(parts, one, use).connection;
    assert.deepEqual(catalog, { name: 'lake', properties: { user: 'own', password: 'lent-word', type: 'rest' } });
  });

  it('reaches nothing of a shared server', () => {
    const shared: ConnectionParts = { ...parts, personal: false };
    const postgres = (uri: string): Connection => connection('postgresql', { uri });
    const refused: [Connection, RegExp][] = [
      [connection('postgresql', { host: '/var/run/postgresql' }), /not a socket/],
      [connection('postgresql', { host: '@abstract' }), /not a socket/],
      [postgres('postgresql:///db'), /not a socket/],
      [postgres('postgresql://u@%2Fvar%2Frun/db'), /not a socket/],
      [postgres('postgresql://good,/tmp/db'), /not a socket|uri must/],
      [postgres('postgresql://h/db?host=/tmp'), /'host' may not/],
      [postgres('postgresql://h/db?passfile=/home/ann/.pgpass'), /'passfile' may not/],
      [postgres('postgresql://h/db?sslmode=require&sslkey=/etc/key'), /'sslkey' may not/],
      [postgres('postgresql://h/db?service=prod'), /'service' may not/],
      [postgres('postgresql://h/db?%68ost=/tmp'), /'host' may not/],
      [postgres('host=/var/run/postgresql'), /uri must be written as/],
      [connection('postgresql', { host: 'h' }, { auth: { passfile: '/x' } }), /auth.passfile may only/],
      [
        connection('snowflake', { account: 'a' }, { auth: { private_key_file: '/etc/key' } }),
        /auth.private_key_file may/,
      ],
      [connection('snowflake', { account: 'a' }, { auth: { authenticator: 'externalbrowser' } }), /must be one of/],
      [connection('snowflake', { account: 'a' }, { auth: { authenticator: 'WORKLOAD_IDENTITY' } }), /must be one of/],
      [connection('snowflake', { uri: 'snowflake://u:p@a/d?connection_name=x' }), /'connection_name' may not/],
      [connection('snowflake', { uri: 'snowflake://u:p@a/d?host=169.254.169.254' }), /'host' may not/],
    ];
    for (const [one, message] of refused) assert.throws(() => openConnection(shared, one, use), { message });
    const open = [
      postgres('postgresql://u:p@h:5432,h2/db?sslmode=require'),
      postgres('postgres://h'),
      connection('postgresql', { host: 'h' }, { auth: { user: 'u', password: 'p' } }),
      connection('snowflake', { uri: 'snowflake://u:p@acct/db/s?warehouse=w' }),
      connection('snowflake', { account: 'a' }, { auth: { authenticator: 'oauth', token: 't' } }),
    ];
    for (const one of open) assert.ok(openConnection(shared, one, use));
  });

  it('is refused with a reason', () => {
    const shared: ConnectionParts = { ...parts, personal: false };
    const refused: [ConnectionParts, Connection, Partial<typeof use>, RegExp][] = [
      [parts, connection('oracle', {}), {}, /^unknown SQL driver: 'oracle'/],
      [parts, connection('duckdb', {}), {}, /has no path/],
      [parts, connection('postgresql', {}, { credential: 'none' }), {}, /Credential 'none'/],
      [parts, connection('postgresql', {}, { credential: 'main' }), { write: true }, /only be used for reading/],
      [parts, connection('duckdb', { path: 'd', mounts: ['m'] }), {}, /mount 'm', which is not declared/],
      [parts, connection('duckdb', { path: 'd', catalog: 'none' }), {}, /catalog 'none', which is not defined/],
      [
        shared,
        connection('postgresql', {}, { auth: { password: refer('ON_SERVER') } }),
        {},
        /ON_SERVER, which is not set/,
      ],
      [shared, connection('sqlite', { path: '/etc/x.db' }), {}, /may not be used/],
      [shared, connection('sqlite', { uri: 'file:x.db' }), {}, /uri is not allowed/],
      [shared, connection('bigquery', { project_id: 'p' }), {}, /credentials_path is required/],
    ];
    for (const [server, one, more, message] of refused)
      assert.throws(() => openConnection(server, one, { ...use, ...more }), { name: 'ConnectionRefused', message });
    assert.doesNotThrow(() => openConnection(shared, connection('sqlite', { path: '/srv/data/x.db' }), use));
    assert.doesNotThrow(() => openConnection(shared, connection('sqlite', { path: 'own.db' }), use));
  });
});
