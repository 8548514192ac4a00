// An object store that accepts connections and never answers: whoever asked is told in the time that was set, nothing is stored
// by halves, and all is well once it speaks again. The stores are real ones behind a gate.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { placeIn } from '../src/mounts/storageOptions.ts';
import { storedBody } from '../src/protocol/index.ts';
import { gateTo } from './kit/gate.ts';
import { mountKinds, openStore, putObject } from './kit/mounts.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { bucket, startObjectStore, storeKinds } from './kit/objectStores.ts';
import { built, order, scan } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { createWarehouse } from './kit/warehouse.ts';

const seconds = { SVC_S3_CONNECT_TIMEOUT_SECONDS: '1', SVC_S3_REQUEST_TIMEOUT_SECONDS: '1' };
/** Far below the minutes that clients of stores take by themselves, far above a second on a busy machine. */
const soonMilliseconds = 10_000;
const timeout = 120_000;

const bucketSetting = {
  s3: 'SVC_ARTIFACT_S3_BUCKET',
  gcs: 'SVC_ARTIFACT_GCS_BUCKET',
  azure: 'SVC_ARTIFACT_AZURE_CONTAINER',
} as const;

const tableSchemes = { s3: 's3', gcs: 'gs', azure: 'abfs' } as const;

const put = (server: TestServer, content: Buffer): Promise<Response> => {
  const form = new FormData();
  form.set('metadata', new File([JSON.stringify({ content_type: 'json/object' })], 'metadata'));
  form.set('data', new File([new Uint8Array(content)], 'data'));
  const key = createHash('sha256').update(content).digest('hex');
  return fetch(`${server.address}/v1/artifacts/by-provenance/${key}`, { method: 'PUT', body: form });
};

const get = (server: TestServer, uri: string): Promise<Response> =>
  fetch(`${server.address}${uri.replace('svc://artifact/', '/v1/artifacts/').replace('@v=', '/v/')}/data`);

const uriOf = async (answer: Response): Promise<string> =>
  storedBody.omit({ name_uri: true }).parse(await answer.json()).artifact_uri;

async function soon<T>(work: Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work;
  const took = performance.now() - begun;
  assert.ok(took < soonMilliseconds, `it took ${Math.round(took)} ms`);
  return result;
}

for (const kind of storeKinds)
  describe(`a silent store (${kind})`, () => {
    it('holds no artifact for longer than was set', { timeout }, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      await using gate = await gateTo(objects);
      await using server = await startServer({
        env: { SVC_ARTIFACT_BLOB_BACKEND: kind, [bucketSetting[kind]]: bucket, ...gate.settings, ...seconds },
      });
      const kept = randomBytes(300_000);
      const uri = await uriOf(await put(server, kept));
      const late = randomBytes(300_000);

      gate.silence();
      const refused = await soon(Promise.all([put(server, late), get(server, uri)]));
      assert.deepEqual(
        refused.map(({ status, headers }) => [status, headers.get('retry-after')]),
        [
          [503, '5'],
          [503, '5'],
        ],
      );
      const { ready_versions, total_versions } = Object((await server.rest.get('/v1/artifacts/stats')).json);
      assert.deepEqual([ready_versions, total_versions], [1, 1]);
      assert.deepEqual(fs.readdirSync(path.join(server.home, '.svc/artifacts/staging')), []);

      gate.speak();
      const again = await get(server, await uriOf(await put(server, late)));
      assert.deepEqual([again.status, Buffer.from(await again.arrayBuffer()).equals(late)], [200, true]);
    });

    it('cuts a download off that it leaves in the middle', { timeout }, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      await using gate = await gateTo(objects);
      await using server = await startServer({
        env: { SVC_ARTIFACT_BLOB_BACKEND: kind, [bucketSetting[kind]]: bucket, ...gate.settings, ...seconds },
      });
      const uri = await uriOf(await put(server, randomBytes(3_000_000)));
      gate.silenceAfter(1_000_000);
      const answer = await get(server, uri);
      assert.equal(answer.status, 200);
      await soon(assert.rejects(answer.arrayBuffer(), TypeError));
    });

    it('fails the cell that mounts it', { timeout }, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      await using gate = await gateTo(objects);
      const { scheme, options } = mountKinds[kind];
      const fields = options(gate.env);
      const place = placeIn(`${scheme}://${bucket}/data`);
      assert.ok(place);
      const store = await openStore(place, fields);
      await putObject(store, 'data/a.txt', 'one');
      store.close();
      await using server = await startServer({
        env: { SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ bucket: fields }), ...seconds },
      });
      const notebook = await createTestNotebook(server, 'Mounts');
      const cell = await notebook.add(
        `# @mount raw ${scheme}://${bucket}/data credential=bucket\n(raw / "a.txt").read_text()`,
      );
      gate.silence();
      const { status, error } = await soon(notebook.run(cell));
      assert.equal(status, 'error');
      assert.match(String(error), /said nothing for 1 s/);
      gate.speak();
      assert.equal((await notebook.run(cell)).display?.preview, 'one');
    });

    it('refuses a table that lies in it', { timeout }, async (t) => {
      const running = await startObjectStore(t, kind);
      if (!running) return;
      await using objects = running;
      await using gate = await gateTo(objects);
      await using warehouse = await createWarehouse(`
t = catalog.create_table("db.source", schema=pa.schema([("id", pa.int64())]))
t.append(pa.table({"id": [1, 2, 3]}))`);
      await using server = await startServer({ env: { ...gate.settings, ...seconds } });
      const [, id, version] = /artifact\/(.+)@v=(\d+)/.exec(await built(server, warehouse.uri('source'))) ?? [];
      const table = `${tableSchemes[kind]}://${bucket}/wh#db.copy`;
      const exported = await server.rest.post(`/v1/artifacts/${id}/v/${version}/export`, { json: { table } });
      assert.equal(exported.status, 200, exported.text);
      gate.silence();
      const refused = await soon(order(server, table));
      assert.deepEqual(
        [refused.status, refused.headers['retry-after'], Object(refused.json).detail],
        [503, '5', `The object store holding ${table} could not be reached; retry shortly.`],
      );
      gate.speak();
      assert.deepEqual((await scan(server, table)).rows, [{ id: 1n }, { id: 2n }, { id: 3n }]);
    });
  });
