// What somebody outside brings to the object store after nobody waits for it any more.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { it } from 'node:test';
import { databases, type TestStore } from './kit/artifacts.ts';

/** As an address of the store does it. */
async function bring({ artifacts, folder }: TestStore, name: string): Promise<void> {
  const file = path.join(folder, `${name}.part`);
  await fs.writeFile(file, 'bytes');
  await artifacts.parts.blobs.adopt([{ name, file }]);
}

for (const [database, open] of Object.entries(databases))
  it(`late uploads go soon after they came, until none can come (${database})`, async (t) => {
    const opened = await open(t);
    if (!opened) return;
    await using store = opened;
    const { lateUploads, parts } = store.artifacts;
    const isThere = async (name: string): Promise<boolean> => (await parts.blobs.open(name)) !== undefined;
    await lateUploads.expect('waited-for', 3600);
    await lateUploads.expect('retired', 3600);
    await bring(store, 'waited-for');
    await bring(store, 'retired');
    await lateUploads.retire('retired');
    assert.deepEqual([await isThere('waited-for'), await isThere('retired')], [true, false]);

    await bring(store, 'retired');
    assert.equal(await lateUploads.sweep(), 0);
    let looks = 0;
    for (let minute = 0; minute < 60; minute++) {
      await bring(store, 'retired');
      store.wait(60);
      looks += await lateUploads.sweep();
      if (minute === 0) assert.equal(await isThere('retired'), false);
    }
    assert.ok(looks > 3 && looks < 12, `${looks} looks in an hour`);
    assert.equal(await isThere('waited-for'), true);

    // The addresses have run out, and what was on its way then has come: a server that was killed leaves nothing either.
    store.wait(600);
    await lateUploads.sweep();
    assert.deepEqual([await isThere('waited-for'), await isThere('retired')], [false, false]);
    store.wait(86_400);
    assert.equal(await lateUploads.sweep(), 0);
  });
