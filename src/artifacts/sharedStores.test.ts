import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createSharedStores } from './sharedStores.ts';
import type { ArtifactStore } from './store.ts';
import { artifactUri, type NewArtifact, parseArtifactUri } from './types.ts';

const folder = (): string => fs.mkdtempSync(path.join(os.tmpdir(), 'svc-store-'));

function artifact(place: string, id: string, content: string): NewArtifact {
  const file = path.join(place, `${id}-${content}.part`);
  fs.writeFileSync(file, content);
  return {
    id,
    provenanceHash: content,
    file,
    byteSize: content.length,
    rowCount: null,
    contentSha256: content,
    transformSpec: '{}',
    inputVersions: '{}',
  };
}

describe('a store of artifacts', () => {
  it('counts versions, supersedes the one before, and keeps the bytes of each', async () => {
    const place = folder();
    const store = await createSharedStores().open(place);
    const [first] = await store.store([artifact(place, 'a', 'one')]);
    const [second] = await store.store([artifact(place, 'a', 'two')]);
    assert.deepEqual([first?.version, second?.version], [1, 2]);
    assert.deepEqual(
      [(await store.get({ id: 'a', version: 1 }))?.state, (await store.get({ id: 'a', version: 2 }))?.state],
      ['superseded', 'ready'],
    );
    assert.equal(fs.readFileSync(store.blobPath({ id: 'a', version: 1 }), 'utf8'), 'one');
    await store.close();
    fs.rmSync(place, { recursive: true });
  });

  it('stores all of a run or nothing, and sweeps what a crash left', async () => {
    const place = folder();
    const stores = createSharedStores();
    const store = await stores.open(place);
    await assert.rejects(
      store.store([artifact(place, 'a', 'one'), artifact(place, 'b', 'two')], async () => {
        throw new Error('too late');
      }),
      /too late/,
    );
    assert.deepEqual(
      [await store.get({ id: 'a', version: 1 }), await store.get({ id: 'b', version: 1 })],
      [undefined, undefined],
    );
    await store.close();
    const again = await stores.open(place);
    assert.deepEqual(fs.readdirSync(path.join(place, 'blobs')), []);
    await again.close();
    fs.rmSync(place, { recursive: true });
  });

  it('serves several users of one folder at the same time', async () => {
    const place = folder();
    const stores = createSharedStores();
    const users: ArtifactStore[] = await Promise.all([stores.open(place), stores.open(place), stores.open(place)]);
    await Promise.all(
      users.flatMap((user, index) => [0, 1, 2].map((round) => user.store([artifact(place, `u${index}`, `v${round}`)]))),
    );
    assert.deepEqual(
      await Promise.all([0, 1, 2].map(async (index) => (await users[0]?.get({ id: `u${index}`, version: 3 }))?.state)),
      ['ready', 'ready', 'ready'],
    );
    await users[0]?.close();
    await users[0]?.close();
    assert.equal((await users[1]?.store([artifact(place, 'late', 'x')]))?.length, 1);
    await Promise.all(users.map((user) => user.close()));
    fs.rmSync(place, { recursive: true });
  });

  it('keeps long and strange ids apart', async () => {
    const place = folder();
    const store = await createSharedStores().open(place);
    const ids = ['x'.repeat(5000), `${'x'.repeat(5000)}y`, '../../up', 'a@v=1', 'ünï☃'];
    for (const id of ids) await store.store([{ ...artifact(place, 'part', String(ids.indexOf(id))), id }]);
    for (const id of ids) {
      const file = store.blobPath({ id, version: 1 });
      assert.equal(path.dirname(file), path.join(place, 'blobs'));
      assert.equal(fs.readFileSync(file, 'utf8'), String(ids.indexOf(id)));
      assert.deepEqual(parseArtifactUri(artifactUri({ id, version: 7 })), { id, version: 7 });
    }
    await store.close();
    fs.rmSync(place, { recursive: true });
  });
});
