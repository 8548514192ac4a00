// A server that dies at any moment: what was answered for is there afterwards, what was not is nowhere.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { it } from 'node:test';
import { storedBody } from '../src/protocol/index.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';

const key = (digit: string): string => `/v1/artifacts/by-provenance/${digit.repeat(64)}`;
const head = (name: string): string =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
const metadata = `${head('metadata')}{"content_type":"json/object"}\r\n`;
const headers = { 'content-type': 'multipart/form-data; boundary=edge' };

const put = (server: TestServer, place: string, content: Buffer) =>
  server.rest.send('PUT', place, {
    headers,
    body: Buffer.concat([Buffer.from(metadata + head('data')), content, Buffer.from('\r\n--edge--\r\n')]),
  });

it('keeps what it answered for, and nothing of an upload that was cut off', async () => {
  const home = newHome();
  const content = randomBytes(200_000);
  const first = await startServer({ home });
  const answered = storedBody.omit({ name_uri: true }).parse((await put(first, key('a'), content)).json);

  const upload = http.request(`${first.address}${key('b')}`, { method: 'PUT', headers });
  upload.on('error', () => {});
  upload.write(metadata + head('data'));
  const watcher = fs.watch(path.join(home, '.svc/artifacts/staging'));
  const arriving = once(watcher, 'change');
  for (let at = 0; at < 40; at++) upload.write(randomBytes(100_000));
  await arriving;
  watcher.close();
  await first.stop('SIGKILL');

  await using second = await startServer({ home });
  const place = answered.artifact_uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/');
  const back = await fetch(`${second.address}${place}/data`);
  assert.deepEqual(Buffer.from(await back.arrayBuffer()), content);
  assert.equal((await second.rest.get(key('b'))).status, 404);
  const stats = Object((await second.rest.get('/v1/artifacts/stats')).json);
  assert.deepEqual([stats.total_versions, stats.total_bytes], [1, content.length]);
  assert.equal((await put(second, key('b'), content)).status, 200);
  fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
