// Identities without keys: a token file that the platform keeps fresh is exchanged for a token of the cloud. The clouds are
// small servers on this machine.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import tls from 'node:tls';
import { openRemoteStore } from './remoteStore.ts';
import { placeIn, type StorageOptions } from './storageOptions.ts';

const pem = fs.readFileSync(new URL('../../tests/fixtures/localhost.pem', import.meta.url), 'utf8');
const trusted = tls.getCACertificates('default');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-keyless-'));
const tokenFile = path.join(folder, 'token');
/** What the clouds were asked: who exchanged which token, and what the stores were shown. */
const exchanged: string[] = [];
const shown: string[] = [];
const variables = ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_ENDPOINT_URL_STS', 'AZURE_AUTHORITY_HOST'];
const kept = Object.fromEntries(variables.map((name) => [name, process.env[name]]));
let cloud: https.Server;
let address = '';

before(async () => {
  tls.setDefaultCACertificates([...trusted, pem]);
  cloud = https.createServer({ key: pem, cert: pem }, async (request, response) => {
    const [type, body] = answer(request, await text(request));
    response.writeHead(body === '' ? 404 : 200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
  const place = cloud.address();
  assert.ok(place !== null && typeof place === 'object');
  address = `https://localhost:${place.port}`;
  const config = path.join(folder, 'aws');
  fs.writeFileSync(
    config,
    `[profile pod]\nregion = us-east-1\nrole_arn = arn:aws:iam::1:role/reader\nweb_identity_token_file = ${tokenFile}\n`,
  );
  fs.writeFileSync(
    path.join(folder, 'gcp.json'),
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${address}/gcp/token`,
      credential_source: { file: tokenFile },
    }),
  );
  Object.assign(process.env, {
    AWS_CONFIG_FILE: config,
    AWS_SHARED_CREDENTIALS_FILE: config,
    AWS_ENDPOINT_URL_STS: `${address}/sts`,
    AZURE_AUTHORITY_HOST: address,
  });
});

after(() => {
  for (const [name, value] of Object.entries(kept)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  tls.setDefaultCACertificates(trusted);
  cloud.closeAllConnections();
  cloud.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

function answer({ url = '', headers }: IncomingMessage, body: string): [type: string, body: string] {
  const { pathname } = new URL(url, address);
  const form = new URLSearchParams(body);
  if (pathname.startsWith('/sts')) {
    exchanged.push(`aws ${form.get('Action')} ${form.get('RoleArn')} ${form.get('WebIdentityToken')}`);
    return ['text/xml', stsAnswer(form.get('WebIdentityToken') ?? '')];
  }
  if (pathname === '/gcp/token') {
    exchanged.push(`gcp ${form.get('audience')?.split('/').at(-1)} ${form.get('subject_token')}`);
    const granted = { access_token: `gcp-for-${form.get('subject_token')}`, token_type: 'Bearer', expires_in: 3600 };
    return json({ ...granted, issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' });
  }
  if (pathname.endsWith('/.well-known/openid-configuration'))
    return json({
      issuer: `${address}/tenant/v2.0`,
      authorization_endpoint: `${address}/tenant/oauth2/v2.0/authorize`,
      token_endpoint: `${address}/tenant/oauth2/v2.0/token`,
      jwks_uri: `${address}/keys`,
    });
  if (pathname.endsWith('/oauth2/v2.0/token')) {
    exchanged.push(`azure ${form.get('client_id')} ${form.get('client_assertion')}`);
    const token = `azure-for-${form.get('client_assertion')}`;
    return json({ token_type: 'Bearer', expires_in: 3600, access_token: token });
  }
  shown.push(String(headers['x-amz-security-token'] ?? headers.authorization));
  if (pathname.startsWith('/s3'))
    return ['text/xml', '<ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents></ListBucketResult>'];
  if (pathname.includes('/storage/v1/b/')) return json({ items: [{ name: 'a', size: '1', etag: '', updated: '' }] });
  if (pathname.startsWith('/az'))
    return [
      'application/xml',
      '<?xml version="1.0"?><EnumerationResults><Blobs><Blob><Name>a</Name><Properties><Last-Modified>Mon, 01 Jan 2024 00:00:00 GMT</Last-Modified><Etag>e</Etag><Content-Length>1</Content-Length></Properties></Blob></Blobs></EnumerationResults>',
    ];
  return ['text/plain', ''];
}

const json = (body: object): [string, string] => ['application/json', JSON.stringify(body)];

const stsAnswer = (token: string): string =>
  `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>AK</AccessKeyId><SecretAccessKey>SK</SecretAccessKey><SessionToken>aws-for-${token}</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;

/** Lists a mount with what the platform's file holds now. */
async function list(uri: string, options: StorageOptions, token: string): Promise<readonly string[]> {
  fs.writeFileSync(tokenFile, token);
  const place = placeIn(uri);
  assert.ok(place);
  const store = await openRemoteStore(place, options, { connectSeconds: 10, requestSeconds: 10 });
  const found = await store.list(place.prefix, AbortSignal.timeout(20_000));
  store.close();
  return found.map(({ name }) => name);
}

describe('an identity without keys', () => {
  const forms = {
    's3://s3/': {
      options: () => ({ profile: 'pod', endpoint_url: address }),
      exchange: (token: string) => `aws AssumeRoleWithWebIdentity arn:aws:iam::1:role/reader ${token}`,
      store: (token: string) => `aws-for-${token}`,
    },
    'gs://bucket/': {
      options: () => ({ token: path.join(folder, 'gcp.json'), endpoint_url: address }),
      exchange: (token: string) => `gcp q ${token}`,
      store: (token: string) => `Bearer gcp-for-${token}`,
    },
    'az://container/': {
      options: () => ({
        account_name: 'account',
        endpoint_url: `${address}/az`,
        tenant_id: 'tenant',
        client_id: 'client',
        federated_token_file: tokenFile,
      }),
      exchange: (token: string) => `azure client ${token}`,
      store: (token: string) => `Bearer azure-for-${token}`,
    },
  };
  for (const [uri, { options, exchange, store }] of Object.entries(forms))
    it(`reads its token file again for each mount (${uri})`, async () => {
      exchanged.length = 0;
      shown.length = 0;
      assert.deepEqual(await list(uri, options(), 'first'), ['a']);
      assert.deepEqual(await list(uri, options(), 'second'), ['a']);
      assert.deepEqual(exchanged, ['first', 'second'].map(exchange));
      assert.deepEqual([...new Set(shown)], ['first', 'second'].map(store));
    });

  it('says what an Azure one lacks', async () => {
    const options = { account_name: 'account', federated_token_file: tokenFile };
    await assert.rejects(list('az://container/', options, 'first'), {
      message: 'federated_token_file needs tenant_id and client_id beside it',
    });
  });
});
