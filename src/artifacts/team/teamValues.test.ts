import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createTeamStore } from './teamStore.ts';
import { createTeamValues } from './teamValues.ts';

const key = 'a'.repeat(64);
const never = new AbortController().signal;

/** A store that answers as told. */
async function storeThat(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const team = createTeamStore({ url: `http://127.0.0.1:${port}`, headers: {}, principalHeader: null });
  return { values: createTeamValues(team), [Symbol.dispose]: () => void server.close() };
}

const facts = {
  artifact_id: 'x',
  version: 1,
  content_type: 'json/object',
  row_count: null,
  byte_size: 3,
  content_sha256: 'b'.repeat(64),
  principal: 'ada',
  build_env: '',
  build_duration_ms: 12,
  promotion: null,
};

describe('values of the team', () => {
  it('are missing only when the store says so', async () => {
    using store = await storeThat((_request, response) =>
      response.writeHead(404, { 'x-svc-provenance-miss': '1' }).end('{}'),
    );
    assert.equal(await store.values.find(key, null, never), undefined);
    using other = await storeThat((_request, response) => response.writeHead(404).end('{}'));
    await assert.rejects(other.values.find(key, null, never), /404 when asked for a result/);
  });

  it('are not taken when the answer or the bytes are not what they should be', async () => {
    using store = await storeThat((_request, response) => response.end('[1]'));
    await assert.rejects(store.values.find(key, null, never), /cannot be read/);
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'svc-team-')), 'value');
    await assert.rejects(store.values.fetch(facts, file, null, never), /not those that it was stored with/);
  });
});
