import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signedInKey, signInCookie } from './signedIn.ts';

const headers = (sent: Readonly<Record<string, string | string[]>>) => (name: string) => [sent[name] ?? []].flat();
const nowhere = { publicBaseUrl: null, publicBasePath: '' };
const proxied = { publicBaseUrl: 'https://svc.example/notes', publicBasePath: '/notes' };

describe('the key of whoever signed in', () => {
  const host = 'svc.local:8765';
  const cases: readonly [name: string, sent: Record<string, string | string[]>, key: string | undefined][] = [
    ['is read from its cookie', { host, cookie: 'a=1; svc_key=k1; b=2' }, 'k1'],
    ['is taken from a page of this server', { host, origin: `http://${host}`, cookie: 'svc_key=k1' }, 'k1'],
    ['is not taken from a page of another', { host, origin: 'http://evil.example', cookie: 'svc_key=k1' }, undefined],
    [
      'is not taken from a page without an origin of its own',
      { host, origin: 'null', cookie: 'svc_key=k1' },
      undefined,
    ],
    ['is none where two are sent', { host, cookie: ['svc_key=k1', 'svc_key=k2'] }, undefined],
    ['is none where two are sent in one line', { host, cookie: 'svc_key=k1; svc_key=k2' }, undefined],
    ['is none in a name that ends like it', { host, cookie: 'my_svc_key=k1' }, undefined],
    ['is none where it is empty', { host, cookie: 'svc_key=' }, undefined],
  ];
  for (const [name, sent, key] of cases) it(name, () => assert.equal(signedInKey(headers(sent), nowhere), key));

  it('is taken from the public address behind a proxy', () => {
    const sent = { host: 'inner:1', origin: 'https://svc.example', cookie: 'svc_key=k1' };
    assert.equal(signedInKey(headers(sent), proxied), 'k1');
  });
});

it('the cookie is seen by no script, sent by no other site, and only over a safe line where there is one', () => {
  assert.equal(signInCookie('k1', nowhere), 'svc_key=k1; Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict');
  assert.equal(
    signInCookie('k1', proxied),
    'svc_key=k1; Path=/notes; Max-Age=1209600; HttpOnly; SameSite=Strict; Secure',
  );
  assert.equal(signInCookie(null, nowhere), 'svc_key=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
});
