import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretKey, redactField, redactText } from './redact.ts';

const keyId = '0123456789abcdef0123456789abcdef';
const secret = 'aB_-9'.repeat(8).concat('xyz');
const token = 'V5tS-q_8'.repeat(5).concat('abc');

test('secrets are taken out of texts by their look', () => {
  const cases: [string, string][] = [
    [`key svc_${keyId}_${secret} used`, 'key svc_<redacted> used'],
    ['svc_deadbeef_tiny-secret.', 'svc_<redacted>.'],
    [`Authorization: Bearer ${secret}`, 'Authorization: Bearer <redacted>'],
    ['authorization: basic YWRtaW46c2VjcmV0', 'authorization: basic <redacted>'],
    [`GET /p/${token}/data 200`, 'GET /p/<redacted>/data 200'],
    ['"GET /base/p/short HTTP/1.1"', '"GET /base/p/<redacted> HTTP/1.1"'],
    [`/v1/publications/${token}?x=1`, '/v1/publications/<redacted>?x=1'],
    [
      `/oembed?url=http%3A%2F%2Fh%2Fp%2F${token}%2Fembed&format=json`,
      '/oembed?url=http%3A%2F%2Fh%2Fp%2F<redacted>%2Fembed&format=json',
    ],
    [
      '/v1/builds/b1/log?expires_at=17.5&signature=gU0g_Cti%3D&seq=1',
      '/v1/builds/b1/log?expires_at=17.5&signature=<redacted>&seq=1',
    ],
    [
      'https://s3/x?X-Amz-Signature=abc&X-Amz-Security-Token=def',
      'https://s3/x?X-Amz-Signature=<redacted>&X-Amz-Security-Token=<redacted>',
    ],
    ['postgresql://svc:p@ss:w0rd@db:5432/meta', 'postgresql://svc:<redacted>@db:5432/meta'],
    ['redis://:hunter2@cache', 'redis://:<redacted>@cache'],
    ['host=db password=hunter2 user=svc', 'host=db password=<redacted> user=svc'],
    ['{"api_key": "abc", "a": 1}', '{"api_key": "<redacted>", "a": 1}'],
  ];
  assert.deepEqual(
    cases.map(([text]) => redactText(text)),
    cases.map(([, clean]) => clean),
  );
});

test('what is no secret stays readable', () => {
  const texts = [
    'svc_cache_hits_total rose to 5',
    'a missing bearer token is refused',
    'basic operations work',
    'GET /v1/publications?include_revoked=false',
    'opened http://127.0.0.1:8765/#/logs',
    'file:///wh/db/plain/data/a.parquet at 12:30',
    'svc://artifact/nb_x@v=3',
  ];
  assert.deepEqual(texts.map(redactText), texts);
});

test('redacting twice changes nothing more', () => {
  const once = redactText(`Bearer ${secret} /p/${token} postgres://a:b@c signature=x password=${secret}`);
  assert.equal(redactText(once), once);
});

test('secrets are taken out by the name of their field', () => {
  const names = [
    'Authorization',
    'set-cookie',
    'X-Svc-Proxy-Token',
    'x-svc-run-token',
    'password',
    'client_secret',
    'apiKey',
    'api_key',
    'AWS_SECRET_ACCESS_KEY',
    'credentials',
  ];
  assert.deepEqual(
    names.filter((name) => !isSecretKey(name)),
    [],
  );
  assert.deepEqual(['path', 'principal', 'cell_id', 'key_id', 'author'].filter(isSecretKey), []);
});

test('nested values are cleaned, counted and bounded', () => {
  const circular: Record<string, unknown> = { a: 1 };
  circular.self = circular;
  assert.deepEqual(
    redactField('request', {
      headers: { cookie: 'a=b', accept: '*/*' },
      usage: { input_tokens: 12, has_token: true, token: null },
      url: new URL('http://u:pw@host/x'),
      big: 12n,
      nan: Number.NaN,
      bytes: Buffer.from('abc'),
      list: ['Bearer abcdef'],
      call: () => 1,
    }),
    {
      headers: { cookie: '<redacted>', accept: '*/*' },
      usage: { input_tokens: 12, has_token: true, token: null },
      url: 'http://u:<redacted>@host/x',
      big: '12',
      nan: 'NaN',
      bytes: '<3 bytes>',
      list: ['Bearer <redacted>'],
      call: '<function>',
    },
  );
  assert.match(JSON.stringify(redactField('c', circular)), /"…"/);
  assert.equal(
    JSON.stringify(
      redactField(
        'list',
        Array.from({ length: 150 }, () => 0),
      ),
    ).includes('50 more'),
    true,
  );
});

test('a hostile text is cleaned in linear time', () => {
  const started = performance.now();
  for (const piece of ['a', 'a:', '://', '/p/', 'svc_', 'password', 'x-signature=', 'bearer ', ' @']) {
    redactText(piece.repeat(8000));
  }
  assert.ok(performance.now() - started < 10_000);
});
