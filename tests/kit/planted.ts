// Secrets in every place that takes one: the settings of a server, and what a notebook says of databases, stores and workers.
// All of them lead to one address, where somebody repeats whatever he is told.
import fs from 'node:fs';
import path from 'node:path';
import type { TestNotebook } from './notebook.ts';
import { newHome } from './server.ts';

type Plant = (place: string) => string;

/** Settings of a server that keep secrets, each planted. */
export function plantedSettings(plant: Plant, address: string): Record<string, string> {
  const file = path.join(fs.mkdtempSync(path.join(newHome(), 'operator-')), 'password');
  fs.writeFileSync(file, plant('credential from a file'));
  return {
    SVC_LOG_LEVEL: 'debug',
    SVC_LOG_FORMAT: 'json',
    SVC_AI_BASE_URL: `${address}/v1`,
    SVC_AI_API_KEY: plant('model key of the server'),
    SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({
      literal: { user: 'u', password: plant('literal credential') },
      filed: { user: 'u', password: `\${file:${file}}` },
      bucket: { key: 'k', secret: plant('bucket secret'), token: plant('bucket session'), endpoint_url: address },
      lake: { token: plant('catalog credential') },
    }),
    SVC_CATALOGS: JSON.stringify({
      lake: { type: 'rest', uri: address, svc_credential: 'lake' },
      pond: { type: 'rest', uri: address, credential: `id:${plant('catalog secret')}` },
    }),
    SVC_CATALOG_URI: `postgresql://svc:${plant('catalog database')}@127.0.0.1:1/catalog`,
    SVC_S3_ACCESS_KEY: plant('store key'),
    SVC_S3_SECRET_KEY: plant('store secret'),
    SVC_AZURE_SAS_TOKEN: `sig=${plant('store signature')}`,
    SVC_TRANSFORM_SIGNING_SECRET: plant('signing secret'),
    SVC_NOTEBOOK_REMOTE_STORE_URL: address,
    SVC_NOTEBOOK_REMOTE_STORE_HEADERS: JSON.stringify({ 'x-store-key': plant('team store header') }),
    SVC_NOTEBOOK_TEAM_CACHE_ENABLED: 'true',
    INFISICAL_HOST: address,
    INFISICAL_CLIENT_ID: 'id',
    INFISICAL_CLIENT_SECRET: plant('secret manager identity'),
  };
}

/** Gives the notebook secrets in every way that its routes take one. */
export async function plantInNotebook(notebook: TestNotebook, plant: Plant, address: string): Promise<void> {
  await notebook.request('PUT', '/env', {
    env: { API_KEY: plant('notebook variable'), DATABASE_PASSWORD: plant('variable of a connection'), STAGE: 'test' },
  });
  await notebook.request('PUT', '/connections', {
    connections: [
      { name: 'pg', driver: 'postgresql', uri: `postgresql://ann:${plant('password in an address')}@127.0.0.1:1/db` },
      {
        name: 'pq',
        driver: 'postgresql',
        uri: `postgresql://127.0.0.1:1/db?user=a&password=${plant('password in a query')}`,
      },
      {
        name: 'env',
        driver: 'postgresql',
        host: '127.0.0.1',
        port: 1,
        auth: { user: 'a', password: `$\{DATABASE_PASSWORD}` },
      },
      {
        name: 'snow',
        driver: 'snowflake',
        account: 'a',
        user: 'u',
        auth: { password: plant('literal password') },
        options: { endpoint: address },
      },
      {
        name: 'named',
        driver: 'snowflake',
        account: 'a',
        user: 'u',
        credential: 'literal',
        options: { endpoint: address },
      },
      {
        name: 'filed',
        driver: 'snowflake',
        account: 'a',
        user: 'u',
        credential: 'filed',
        options: { endpoint: address },
      },
      { name: 'lake', driver: 'duckdb', path: ':memory:', catalog: 'lake' },
      { name: 'pond', driver: 'duckdb', path: ':memory:', catalog: 'pond' },
      { name: 'duck', driver: 'duckdb', path: ':memory:' },
    ],
  });
  await notebook.request('PUT', '/mounts', {
    mounts: [
      {
        name: 'own',
        uri: 's3://b/own',
        mode: 'ro',
        options: { key: 'k', secret: plant('mount secret'), token: plant('mount session'), endpoint_url: address },
      },
      { name: 'lent', uri: 's3://b/lent', mode: 'ro', credential: 'bucket' },
      {
        name: 'signed',
        uri: 'az://c/x',
        mode: 'ro',
        options: {
          connection_string: `BlobEndpoint=${address}/a;SharedAccessSignature=sv=1&sig=${plant('mount signature')}`,
        },
      },
    ],
  });
  await notebook.request('PUT', '/workers', {
    workers: [
      { name: 'far', backend: 'executor', config: { url: `${address}/v1/execute`, token: plant('worker token') } },
    ],
  });
  await notebook.request('PUT', '/secret-manager/config', { provider: 'infisical', project_id: 'p' });
}
