// A Google Cloud Storage that believes only signatures: in front of the emulator, which checks none. What comes with a signed
// address or a signed form is recomputed from the published rules and verified with the public key; requests of the store's own
// client pass through.
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { bucket, type ObjectStore, startObjectStore } from './objectStores.ts';
import { newHome } from './server.ts';

export interface SignedGcs extends ObjectStore {
  /** What was refused, and why. */
  readonly refused: string[];
}

class Refused extends Error {}

/** Undefined after the test was marked as skipped. */
export async function startSignedGcs(t: TestContext): Promise<SignedGcs | undefined> {
  const emulator = await startObjectStore(t, 'gcs');
  if (!emulator) return undefined;
  const behind = emulator.env.STORAGE_EMULATOR_HOST ?? '';
  const email = 'tests@tests.iam.gserviceaccount.com';
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = path.join(newHome(), 'account.json');
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const about = { type: 'service_account', project_id: 'tests', private_key_id: 'k', client_email: email };
  fs.writeFileSync(account, JSON.stringify({ ...about, private_key: key }));
  const refused: string[] = [];

  function verify(text: string, signature: string): void {
    const isRight = createVerify('RSA-SHA256').update(text).verify(publicKey, Buffer.from(signature, 'hex'));
    if (!isRight) throw new Refused('SignatureDoesNotMatch');
  }

  function checkTime(date: string, seconds: number): void {
    const from = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    if (!(from <= Date.now() + 60_000 && Date.now() < from + seconds * 1000)) throw new Refused('ExpiredToken');
  }

  /** By the rules of version 4: method, path, query, headers and an unsigned payload. */
  function checkAddress(method: string, url: URL, headers: IncomingMessage['headers']): void {
    const query = Object.fromEntries(url.searchParams);
    const encoded = (words: string): string =>
      encodeURIComponent(words).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
    const canonicalQuery = Object.keys(query)
      .filter((name) => name !== 'X-Goog-Signature')
      .sort()
      .map((name) => `${encoded(name)}=${encoded(query[name] ?? '')}`)
      .join('&');
    const names = (query['X-Goog-SignedHeaders'] ?? '').split(';');
    // Its client signs the host without a port, which the real one does not have.
    const lines = names.map((name) => `${name}:${String(headers[name] ?? '').replace(/:\d+$/, '')}\n`).join('');
    const request = [method, url.pathname, canonicalQuery, lines, names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n');
    const date = query['X-Goog-Date'] ?? '';
    const [who, ...scope] = (query['X-Goog-Credential'] ?? '').split('/');
    if (who !== email || !names.includes('host')) throw new Refused('AccessDenied');
    const digest = createHash('sha256').update(request).digest('hex');
    verify(`GOOG4-RSA-SHA256\n${date}\n${scope.join('/')}\n${digest}`, query['X-Goog-Signature'] ?? '');
    checkTime(date, Number(query['X-Goog-Expires']));
  }

  /** Every field is named by a condition of the signed policy, and the size lies in its range. */
  function checkForm(fields: ReadonlyMap<string, string>, size: number): void {
    const policy = fields.get('policy') ?? '';
    verify(policy, fields.get('x-goog-signature') ?? '');
    const { conditions, expiration } = JSON.parse(Buffer.from(policy, 'base64').toString());
    if (!(Date.now() < Date.parse(expiration))) throw new Refused('ExpiredToken');
    const wanted = new Map<string, string>();
    for (const condition of conditions) {
      if (!Array.isArray(condition))
        for (const [name, value] of Object.entries(condition)) wanted.set(name, String(value));
      else if (condition[0] !== 'content-length-range') throw new Refused('AccessDenied');
      else if (size < condition[1] || size > condition[2]) throw new Refused('EntityTooLarge');
    }
    if (wanted.get('bucket') !== bucket) throw new Refused('AccessDenied');
    for (const [name, value] of fields)
      if (!['policy', 'x-goog-signature'].includes(name) && wanted.get(name) !== value)
        throw new Refused('AccessDenied');
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://store');
    const { method = 'GET', headers } = request;
    const body = await buffer(request);
    const type = headers['content-type'] ?? '';
    if (
      method === 'POST' &&
      url.pathname.replace(/\/$/, '') === `/${bucket}` &&
      type.startsWith('multipart/form-data')
    ) {
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
      const file = form.get('file');
      const fields = new Map([...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
      if (!(file instanceof File)) throw new Refused('InvalidArgument');
      checkForm(fields, file.size);
      const name = encodeURIComponent(fields.get('key') ?? '');
      const target = `${behind}/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${name}`;
      await fetch(target, { method, body: file, headers: { 'content-type': 'application/octet-stream' } });
      response.writeHead(204).end();
      return;
    }
    const isPublic = url.pathname.startsWith(`/${bucket}/`);
    if (isPublic) checkAddress(method, url, headers);
    const name = encodeURIComponent(decodeURIComponent(url.pathname.slice(bucket.length + 2)));
    const target = isPublic ? `/download/storage/v1/b/${bucket}/o/${name}?alt=media` : request.url;
    const passed = Object.entries(headers).filter(([name]) => /^(content-type|x-|range)/.test(name));
    const there = await fetch(`${behind}${target}`, {
      method,
      headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    const kept = [...there.headers].filter(([name]) => /^(content-type|etag|x-|location)/.test(name));
    response.writeHead(there.status, Object.fromEntries(kept));
    response.end(Buffer.from(await there.arrayBuffer()));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      refused.push(why);
      response.writeHead(error instanceof Refused ? 403 : 500).end(why);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = server.address();
  const port = place !== null && typeof place === 'object' ? place.port : 0;
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await emulator.stop();
  };
  const address = `http://127.0.0.1:${port}`;
  const env = { STORAGE_EMULATOR_HOST: address, GOOGLE_APPLICATION_CREDENTIALS: account };
  // Its own requests are not signed: the tokens for that come from Google alone.
  const settings = {
    SVC_GCS_ENDPOINT_OVERRIDE: address,
    SVC_GCS_CREDENTIALS_JSON: account,
    SVC_GCS_ANONYMOUS: 'true',
  };
  return { env, settings, refused, stop, [Symbol.asyncDispose]: stop };
}
