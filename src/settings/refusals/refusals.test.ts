import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettingsError } from '../errors.ts';
import { loadSettings } from '../load.ts';

const service = {
  SVC_DEPLOYMENT_MODE: 'service',
  SVC_AUTH_MODE: 'trusted_proxy',
  SVC_PROXY_TOKEN: 'secret',
};

const needsAuth = 'SVC_DEPLOYMENT_MODE=service needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key';
const rules = JSON.stringify({ deny: [{ tables: ['*:db.secret'] }] });
const remoteStore = 'SVC_NOTEBOOK_REMOTE_STORE_URL';
const namesItself = `${remoteStore} names this server itself: point it at the shared store, or remove it`;
const lakes = (properties: Record<string, unknown>) => JSON.stringify({ lake: properties });

type Case = readonly [title: string, env: Record<string, string>, problems: readonly string[]];

const identity: readonly Case[] = [
  ['service without authentication', { SVC_DEPLOYMENT_MODE: 'service' }, [needsAuth]],
  ['service behind a proxy', service, []],
  [
    'service with keys',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'api_key', SVC_ARTIFACT_DIR: '/srv/artifacts' },
    [],
  ],
  [
    'keys without a store',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'api_key' },
    ['SVC_AUTH_MODE=api_key needs SVC_ARTIFACT_DIR: keys are kept in the artifact store'],
  ],
  [
    'proxy without its token',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'trusted_proxy' },
    ['SVC_AUTH_MODE=trusted_proxy needs SVC_PROXY_TOKEN, the secret shared with the proxy'],
  ],
  [
    'keys in personal mode',
    { SVC_AUTH_MODE: 'api_key' },
    ['SVC_AUTH_MODE=api_key works only in service mode: set SVC_DEPLOYMENT_MODE=service, or remove SVC_AUTH_MODE'],
  ],
  [
    'proxy in personal mode',
    { SVC_AUTH_MODE: 'trusted_proxy', SVC_PROXY_TOKEN: 'secret' },
    [
      'SVC_AUTH_MODE=trusted_proxy works only in service mode: set SVC_DEPLOYMENT_MODE=service, or remove SVC_AUTH_MODE',
    ],
  ],
  ['tenants behind a proxy', { ...service, SVC_MULTI_TENANT_ENABLED: 'true' }, []],
  [
    'tenants without authentication',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_MULTI_TENANT_ENABLED: 'true' },
    [needsAuth, 'SVC_MULTI_TENANT_ENABLED needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key'],
  ],
  [
    'tenants in personal mode',
    { SVC_MULTI_TENANT_ENABLED: 'true' },
    [
      'SVC_MULTI_TENANT_ENABLED needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key',
      'SVC_MULTI_TENANT_ENABLED works only in service mode: set SVC_DEPLOYMENT_MODE=service',
    ],
  ],
  [
    'writes with keys',
    {
      SVC_DEPLOYMENT_MODE: 'service',
      SVC_AUTH_MODE: 'api_key',
      SVC_ARTIFACT_DIR: '/srv/artifacts',
      SVC_SERVICE_WRITES_ENABLED: 'true',
    },
    ['SVC_SERVICE_WRITES_ENABLED needs SVC_AUTH_MODE=trusted_proxy'],
  ],
  [
    'access rules without authentication',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_ACL_CONFIG: rules },
    [
      needsAuth,
      'SVC_ACL_CONFIG is enforced only for authenticated callers: set SVC_AUTH_MODE to trusted_proxy or api_key, or remove the rules',
    ],
  ],
  ['access rules in personal mode', { SVC_ACL_CONFIG: rules }, []],
  [
    'an access rule with an unknown key',
    { SVC_ACL_CONFIG: JSON.stringify({ deny: [{ tables: ['a'], tabels: ['a'] }] }) },
    ['acl_config.deny.0.tabels: unknown key; did you mean tables?'],
  ],
  [
    'access rules without tables',
    { SVC_ACL_CONFIG: JSON.stringify({ deny: [{ principal: 'a' }], allow: [{ tables: [] }] }) },
    ['acl_config.deny.0.tables: is required', 'acl_config.allow.0.tables: must not be empty'],
  ],
  [
    'MCP without authentication in a service',
    { SVC_DEPLOYMENT_MODE: 'service', SVC_MCP_ENABLED: 'true' },
    [
      needsAuth,
      'SVC_MCP_ENABLED needs authenticated callers in service mode: set SVC_AUTH_MODE to trusted_proxy or api_key',
    ],
  ],
  ['MCP in personal mode', { SVC_MCP_ENABLED: 'true' }, []],
];

const network: readonly Case[] = [
  [
    'a personal server for other machines',
    { SVC_HOST: '0.0.0.0' },
    [
      'SVC_HOST=0.0.0.0 lets other machines use this personal server without a password: listen on 127.0.0.1, or set SVC_ALLOW_REMOTE_CLIENTS_IN_PERSONAL=true if that is meant',
    ],
  ],
  ['a personal server for other machines, meant', { SVC_HOST: '::', SVC_ALLOW_REMOTE_CLIENTS_IN_PERSONAL: '1' }, []],
  ['loopback addresses', { SVC_HOST: '127.0.0.2' }, []],
  ['loopback in IPv6', { SVC_HOST: '::1' }, []],
  ['a service for other machines', { ...service, SVC_HOST: '0.0.0.0' }, []],
  [
    'origins with commas',
    { SVC_CORS_ALLOW_ORIGINS: 'https://a.example,https://b.example' },
    [
      'SVC_CORS_ALLOW_ORIGINS: the value must be a JSON array, not a comma-separated list; write ["https://a.example","https://b.example"]',
    ],
  ],
  [
    'team cache without a store',
    { SVC_NOTEBOOK_TEAM_CACHE_ENABLED: 'true' },
    ['SVC_NOTEBOOK_TEAM_CACHE_ENABLED needs SVC_NOTEBOOK_REMOTE_STORE_URL, the store to share results with'],
  ],
  ['team cache', { SVC_NOTEBOOK_TEAM_CACHE_ENABLED: 'true', [remoteStore]: 'https://store.example' }, []],
  ['own address', { [remoteStore]: 'http://127.0.0.1:8765/' }, [namesItself]],
  ['own address by name', { [remoteStore]: 'http://localhost:8765' }, [namesItself]],
  ['own address in IPv6', { [remoteStore]: 'http://[::1]:8765' }, [namesItself]],
  [
    'own address on every interface',
    { ...service, SVC_HOST: '0.0.0.0', [remoteStore]: 'http://localhost:8765' },
    [namesItself],
  ],
  [
    'own host name',
    { ...service, SVC_HOST: 'a.example', SVC_PORT: '443', [remoteStore]: 'https://A.example' },
    [namesItself],
  ],
  [
    'own public address',
    { SVC_PUBLIC_BASE_URL: 'https://a.example', [remoteStore]: 'https://a.example/store' },
    [namesItself],
  ],
  [
    'own node address',
    { SVC_NODE_ADVERTISED_URL: 'http://10.0.0.1:8765', [remoteStore]: 'http://10.0.0.1:8765' },
    [namesItself],
  ],
  ['another port of this machine', { [remoteStore]: 'http://localhost:8766' }, []],
];

const stores: readonly Case[] = [
  [
    'a service store without its directory',
    {
      ...service,
      SVC_ARTIFACT_METADATA_DSN: 'postgresql://h/db',
      SVC_ARTIFACT_BLOB_BACKEND: 's3',
      SVC_ARTIFACT_S3_BUCKET: 'b',
      SVC_SERVICE_WRITES_ENABLED: 'true',
    },
    [
      'SVC_ARTIFACT_METADATA_DSN needs SVC_ARTIFACT_DIR: a service has an artifact store only when it is set',
      'SVC_ARTIFACT_BLOB_BACKEND=s3 needs SVC_ARTIFACT_DIR: a service has an artifact store only when it is set',
      'SVC_SERVICE_WRITES_ENABLED needs SVC_ARTIFACT_DIR: a service has an artifact store only when it is set',
    ],
  ],
  [
    'shared metadata with local bytes',
    { ...service, SVC_ARTIFACT_DIR: '/srv/a', SVC_ARTIFACT_METADATA_DSN: 'postgresql://h/db' },
    [
      'SVC_ARTIFACT_METADATA_DSN shares metadata between nodes, but SVC_ARTIFACT_BLOB_BACKEND=local keeps the bytes on one: set it to s3, gcs or azure',
    ],
  ],
  ['the same in personal mode', { SVC_ARTIFACT_METADATA_DSN: 'postgresql://h/db' }, []],
  [
    'another database',
    { SVC_ARTIFACT_METADATA_DSN: 'mysql://h/db' },
    [
      'SVC_ARTIFACT_METADATA_DSN: the value is not a URL that starts with postgresql://; correct it, or remove it to use the default',
    ],
  ],
  [
    's3 without a bucket',
    { SVC_ARTIFACT_BLOB_BACKEND: 's3' },
    ['SVC_ARTIFACT_BLOB_BACKEND=s3 needs SVC_ARTIFACT_S3_BUCKET'],
  ],
  [
    'gcs without a bucket',
    { SVC_ARTIFACT_BLOB_BACKEND: 'gcs' },
    ['SVC_ARTIFACT_BLOB_BACKEND=gcs needs SVC_ARTIFACT_GCS_BUCKET'],
  ],
  [
    'azure without a container',
    { SVC_ARTIFACT_BLOB_BACKEND: 'azure' },
    ['SVC_ARTIFACT_BLOB_BACKEND=azure needs SVC_ARTIFACT_AZURE_CONTAINER'],
  ],
  ['s3 with a bucket', { SVC_ARTIFACT_BLOB_BACKEND: 's3', SVC_ARTIFACT_S3_BUCKET: 'b' }, []],
];

const catalogs: readonly Case[] = [
  [
    'SQL catalogs over object stores without a uri',
    {
      SVC_CATALOG_PROPERTIES: JSON.stringify({ type: 'sql', warehouse: 's3://b/w' }),
      SVC_CATALOGS: lakes({ warehouse: 'abfss://c@a.example/w' }),
    },
    [
      'catalog_properties is a SQL catalog over an object store and needs a uri: set SVC_CATALOG_URI',
      "catalogs['lake'] is a SQL catalog over an object store and needs a uri: add the URL of its database",
    ],
  ],
  [
    'the uri of the default catalog',
    {
      SVC_CATALOG_PROPERTIES: JSON.stringify({ type: 'sql', warehouse: 's3://b/w' }),
      SVC_CATALOG_URI: 'postgresql://h/db',
    },
    [],
  ],
  ['a local warehouse', { SVC_CATALOGS: lakes({ type: 'sql', warehouse: '/srv/w' }) }, []],
  ['a REST catalog', { SVC_CATALOGS: lakes({ type: 'rest', warehouse: 's3://b/w' }) }, []],
  [
    'a uri that comes with the credential',
    {
      SVC_CATALOGS: lakes({ type: 'sql', warehouse: 's3://b/w', svc_credential: 'db' }),
      SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ db: { uri: 'postgresql://h/db' } }),
    },
    [],
  ],
  [
    'a named credential under the wrong key',
    {
      SVC_CATALOGS: lakes({ type: 'rest', uri: 'https://c.example', credential: 'db' }),
      SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ db: { token: 't' } }),
    },
    ["catalogs['lake'].credential: 'db' is a named credential of this server; write it as svc_credential"],
  ],
  [
    'a credential of the catalog itself',
    { SVC_CATALOGS: lakes({ type: 'rest', uri: 'https://c.example', credential: 'id:secret' }) },
    [],
  ],
  [
    'a catalog name that no table address could hold',
    { SVC_CATALOGS: JSON.stringify({ 'my lake': {} }) },
    ["catalogs['my lake']: is not a catalog name (a letter, then letters, digits, _ or -)"],
  ],
];

const credentials: readonly Case[] = [
  [
    'credentials of the wrong shape',
    {
      SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ a: 'x', b: { key: null }, c: { key: ['$', '{file:rel}'].join('') } }),
    },
    [
      "notebook_credentials['a']: is not an object",
      "notebook_credentials['b'].key: is not a string, a number or true/false",
      "notebook_credentials['c'].key: 'rel' is not an absolute path",
    ],
  ],
  [
    'a default for an unknown scheme',
    { SVC_NOTEBOOK_MOUNT_CREDENTIALS: JSON.stringify({ ftp: 'a' }) },
    ["notebook_mount_credentials['ftp']: is not a mount scheme (file, s3, gs, gcs, az, azure)"],
  ],
  [
    'relative directories',
    { SVC_NOTEBOOK_CREDENTIAL_PATHS: JSON.stringify({ c1: ['/ok', 'rel'] }) },
    ["notebook_credential_paths['c1']: 'rel' is not an absolute path"],
  ],
  [
    'writers that are not lists',
    { SVC_NOTEBOOK_CREDENTIAL_WRITERS: JSON.stringify({ c1: 'ada' }) },
    ["notebook_credential_writers['c1']: is not a list"],
  ],
];

const adaptive: readonly Case[] = [
  [
    'adaptive slots with tenants',
    { ...service, SVC_MULTI_TENANT_ENABLED: 'true', SVC_ADAPTIVE_ENABLED: 'true' },
    ['SVC_ADAPTIVE_ENABLED cannot be combined with SVC_MULTI_TENANT_ENABLED: turn one of them off'],
  ],
  [
    'slots outside the range',
    { SVC_ADAPTIVE_ENABLED: 'true', SVC_INTERACTIVE_SLOTS: '65', SVC_BULK_SLOTS: '1' },
    [
      'SVC_INTERACTIVE_SLOTS=65 lies outside SVC_ADAPTIVE_MIN_INTERACTIVE (4) to SVC_ADAPTIVE_MAX_INTERACTIVE (64): move it inside',
      'SVC_BULK_SLOTS=1 lies outside SVC_ADAPTIVE_MIN_BULK (2) to SVC_ADAPTIVE_MAX_BULK (32): move it inside',
    ],
  ],
  [
    'an empty range',
    { SVC_ADAPTIVE_ENABLED: 'true', SVC_ADAPTIVE_MIN_BULK: '9', SVC_ADAPTIVE_MAX_BULK: '8' },
    ['SVC_ADAPTIVE_MIN_BULK (9) to SVC_ADAPTIVE_MAX_BULK (8) is an empty range: raise the second or lower the first'],
  ],
  ['any slots while it is off', { SVC_INTERACTIVE_SLOTS: '65', SVC_BULK_SLOTS: '1' }, []],
];

for (const [title, env, problems] of [...identity, ...network, ...stores, ...catalogs, ...credentials, ...adaptive]) {
  test(title, () => assert.deepEqual(problemsOf(env), problems));
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadSettings({ env, cwd: '/nonexistent' });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}
