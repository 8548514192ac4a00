// Addresses that others use without credentials of their own: the client library signs them, whatever part of the cloud the
// bucket lies in.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openS3 } from './s3.ts';

const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' };

async function addressesIn(access: { region: string; endpoint?: string }): Promise<readonly string[]> {
  const client = openS3('results', { ...access, keys });
  const { origin, pathname, searchParams } = new URL(await client.presigner.download('a b/ü~1.arrow', 59.5));
  const form = await client.presigner.upload('a.arrow', { maxBytes: 10, seconds: 60 });
  client.close();
  assert.equal(searchParams.get('X-Amz-Expires'), '60');
  assert.equal(searchParams.get('X-Amz-Security-Token'), 'session');
  const policy = JSON.parse(Buffer.from(form.fields?.Policy ?? '', 'base64').toString());
  assert.deepEqual(
    policy.conditions.filter((one: unknown) => Array.isArray(one)),
    [['content-length-range', 1, 10]],
  );
  return [`${origin}${pathname}`, form.url.replace(/\/$/, '')];
}

it('signs addresses in every partition of AWS', async () => {
  assert.deepEqual(await addressesIn({ region: 'eu-central-1' }), [
    'https://results.s3.eu-central-1.amazonaws.com/a%20b/%C3%BC~1.arrow',
    'https://results.s3.eu-central-1.amazonaws.com',
  ]);
  assert.deepEqual(await addressesIn({ region: 'cn-north-1' }), [
    'https://results.s3.cn-north-1.amazonaws.com.cn/a%20b/%C3%BC~1.arrow',
    'https://results.s3.cn-north-1.amazonaws.com.cn',
  ]);
});

it('signs addresses of a server that speaks like S3, by path', async () => {
  assert.deepEqual(await addressesIn({ region: 'us-east-1', endpoint: 'http://127.0.0.1:9000' }), [
    'http://127.0.0.1:9000/results/a%20b/%C3%BC~1.arrow',
    'http://127.0.0.1:9000/results',
  ]);
});
