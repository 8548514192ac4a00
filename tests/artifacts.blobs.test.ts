// One server for each place that bytes may lie in: what is stored is fetched, shared, collected, and not lost while the
// place cannot be reached.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { storedBody } from '../src/protocol/index.ts';
import { bucket, type ObjectStore, startObjectStore } from './kit/objectStores.ts';
import { type Environment, startServer, type TestServer } from './kit/server.ts';

const backends: Readonly<Record<string, Environment>> = {
  local: {},
  s3: { SVC_ARTIFACT_S3_BUCKET: bucket },
  gcs: { SVC_ARTIFACT_GCS_BUCKET: bucket },
  azure: { SVC_ARTIFACT_AZURE_CONTAINER: bucket },
};

const keyOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function store(server: TestServer, content: Buffer) {
  const form = new FormData();
  form.set('metadata', new File([JSON.stringify({ content_type: 'json/object' })], 'metadata'));
  form.set('data', new File([new Uint8Array(content)], 'data'));
  return fetch(`${server.address}/v1/artifacts/by-provenance/${keyOf(content)}`, { method: 'PUT', body: form });
}

async function fetched(server: TestServer, uri: string): Promise<Response> {
  return fetch(`${server.address}${uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/')}/data`);
}

for (const [backend, settings] of Object.entries(backends)) {
  describe(`bytes in ${backend}`, () => {
    it('come back as they went in', async (t) => {
      const objects: ObjectStore | undefined =
        backend === 's3' || backend === 'gcs' || backend === 'azure' ? await startObjectStore(t, backend) : undefined;
      if (backend !== 'local' && !objects) return;
      await using held = { [Symbol.asyncDispose]: async () => objects?.stop() };
      assert.ok(held);
      await using server = await startServer({
        env: { SVC_ARTIFACT_BLOB_BACKEND: backend, ...settings, ...objects?.settings },
      });
      const content = randomBytes(300_000);
      const answer = storedBody.omit({ name_uri: true }).parse(await (await store(server, content)).json());
      const back = await fetched(server, answer.artifact_uri);
      assert.deepEqual([back.status, keyOf(Buffer.from(await back.arrayBuffer()))], [200, keyOf(content)]);
      assert.equal(Object(await (await store(server, content)).json()).hit, true);

      const loose = storedBody.omit({ name_uri: true }).parse(await (await store(server, randomBytes(10))).json());
      const gc = await server.rest.post('/v1/artifacts/gc?max_bytes=1&min_idle_seconds=0');
      assert.equal(Object(gc.json).deleted_count, 2);
      assert.equal((await fetched(server, loose.artifact_uri)).status, 404);

      if (!objects) return;
      const kept = storedBody.omit({ name_uri: true }).parse(await (await store(server, randomBytes(20))).json());
      await objects.stop();
      const refused = [await store(server, randomBytes(30)), await fetched(server, kept.artifact_uri)];
      assert.deepEqual(
        refused.map(({ status, headers }) => [status, headers.get('retry-after')]),
        [
          [503, '5'],
          [503, '5'],
        ],
      );
      const stats = Object((await server.rest.get('/v1/artifacts/stats')).json);
      assert.deepEqual([stats.ready_versions, stats.total_versions], [1, 1]);
    });
  });
}
