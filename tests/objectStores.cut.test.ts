// A store that closes a connection under a request, as each does with those that were idle: whoever asked is not told, since
// everything that is asked of a store may be asked twice. The stores are real ones behind a gate.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { it } from 'node:test';
import { type ObjectStore, openObjects } from '../src/objectStores/index.ts';
import { gateTo } from './kit/gate.ts';
import { bucket, startObjectStore, storeKinds } from './kit/objectStores.ts';
import { newHome } from './kit/server.ts';

const storeAt = (settings: Readonly<Record<string, string>>): Readonly<Record<ObjectStore['kind'], ObjectStore>> => ({
  s3: {
    kind: 's3',
    bucket,
    access: {
      region: 'us-east-1',
      endpoint: settings.SVC_S3_ENDPOINT_URL,
      keys: { accessKeyId: 'tests', secretAccessKey: 'tests' },
    },
  },
  gcs: { kind: 'gcs', bucket, access: { endpoint: settings.SVC_GCS_ENDPOINT_OVERRIDE, isAnonymous: true } },
  azure: { kind: 'azure', bucket, access: { connectionString: settings.SVC_AZURE_CONNECTION_STRING } },
});

for (const kind of storeKinds)
  it(`asks again when the store cut the connection (${kind})`, { timeout: 60_000 }, async (t) => {
    const running = await startObjectStore(t, kind);
    if (!running) return;
    await using objects = running;
    await using gate = await gateTo(objects);
    const client = await openObjects(storeAt(gate.settings)[kind]);
    const file = path.join(newHome(), 'object');
    fs.writeFileSync(file, 'bytes');
    const { signal } = new AbortController();
    const cut = <T>(work: () => Promise<T>): Promise<T> => {
      gate.cutOnce();
      return work();
    };
    const names = async (): Promise<string[]> => {
      const found: string[] = [];
      for await (const page of client.list('a/')) found.push(...page.map(({ name }) => name));
      return found;
    };
    await cut(() => client.upload('a/one', file, signal));
    assert.deepEqual(
      [
        await cut(names),
        await cut(() => client.size('a/one')),
        await cut(async () => text(await client.read('a/one'))),
      ],
      [['a/one'], 5, 'bytes'],
    );
    await cut(() => client.remove('a/one'));
    assert.deepEqual(await names(), []);
    client.close();
  });
