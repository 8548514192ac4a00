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
