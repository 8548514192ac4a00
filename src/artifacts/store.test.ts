import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, it } from 'node:test';
import { createSharedStores } from './sharedStores.ts';
import type { NewArtifact } from './types.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-store-'));
const stores = createSharedStores();
after(() => fs.rmSync(folder, { recursive: true, force: true }));

function made(name: string): NewArtifact {
  const file = path.join(folder, name);
  fs.writeFileSync(file, name);
  const rest = { provenanceHash: name, byteSize: 1, rowCount: null, contentSha256: '', transformSpec: '{}' };
  return { id: name, file, ...rest, inputVersions: '{}' };
}

it('opening a store leaves alone what another session is just storing', async () => {
  const place = path.join(folder, 'one');
  const first = await stores.open(place);
  const [stored] = await first.store([made('a')], async () => {
    await (await stores.open(place)).close();
  });
  assert.ok(stored);
  assert.equal(fs.readFileSync(first.blobPath(stored), 'utf8'), 'a');
  await first.close();
  fs.writeFileSync(path.join(place, 'blobs/orphan@v=1.arrow'), '');
  await (await stores.open(place)).close();
  assert.deepEqual(fs.readdirSync(path.join(place, 'blobs')), ['a@v=1.arrow']);
});

it('takes no link for a value', async () => {
  const store = await stores.open(path.join(folder, 'two'));
  const secret = made('secret');
  fs.symlinkSync(secret.file, path.join(folder, 'link'));
  await assert.rejects(store.store([{ ...secret, file: path.join(folder, 'link') }]), { code: 'ELOOP' });
  await store.close();
});

it('puts small values back that a power cut took, and keeps large ones in files alone', async () => {
  const place = path.join(folder, 'three');
  const large = { ...made('large'), byteSize: 100_000 };
  fs.writeFileSync(large.file, 'y'.repeat(100_000));
  const store = await stores.open(place);
  await store.store([made('small'), large]);
  const [small, big] = ['small', 'large'].map((id) => store.blobPath({ id, version: 1 }));
  assert.ok(small !== undefined && big !== undefined);
  assert.deepEqual(await store.database.all('SELECT artifact_id FROM artifact_bytes', [], (row) => row.artifact_id), [
    'small',
  ]);
  await store.close();
  fs.writeFileSync(small, '');
  fs.writeFileSync(path.join(place, 'boot'), 'before');
  await (await stores.open(place)).close();
  assert.deepEqual([fs.readFileSync(small, 'utf8'), fs.statSync(big).size], ['small', 100_000]);
});

it('forgets what no longer stands for anything, but not what others were made from', async () => {
  const store = await stores.open(path.join(folder, 'four'));
  const from = (...uris: string[]) => ({
    inputVersions: JSON.stringify(Object.fromEntries(uris.map((uri) => [`svc://artifact/${uri}`, uri]))),
  });
  await store.store([made('gone-source')]);
  await store.store([made('gone-alone')]);
  await store.store([{ ...made('gone-result'), ...from('gone-alone@v=1') }]);
  await store.store([{ ...made('kept'), ...from('gone-source@v=1') }]);
  await store.store([made('gone-held')]);
  const rule = {
    isGone: (id: string) => id.startsWith('gone'),
    isHeld: ({ id }: { id: string }) => id === 'gone-held',
  };
  assert.equal(await store.prune({ ...rule, keepSuperseded: 0 }), 0);
  assert.equal(await store.prune({ ...rule, keepSuperseded: 3 }), 2);
  assert.deepEqual(await store.database.all('SELECT id FROM artifact_versions ORDER BY id', [], (row) => row.id), [
    'gone-held',
    'gone-source',
    'kept',
  ]);
  await store.close();
});
