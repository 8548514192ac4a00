// Rows of builds on both databases: who may take a build, who may finish it, and what becomes of those that nobody finishes.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { findUpload, keepUpload, removeUploads } from '../src/builds/attempts.ts';
import type { Build, Lease } from '../src/builds/build.ts';
import { createBuildRows } from '../src/builds/rows.ts';
import { databases, hashOf, type TestStore } from './kit/artifacts.ts';

async function pending({ artifacts }: TestStore, id: string, more: Partial<Build> = {}): Promise<Build> {
  const version = await artifacts.versions.begin({
    id: null,
    provenanceHash: hashOf(id),
    transformSpec: null,
    inputVersions: null,
    tenant: '',
    principal: null,
  });
  const build: Build = {
    id,
    target: { id: version.id, version: 1 },
    executor: 'x@v1',
    state: 'pending',
    tenant: '',
    pool: 'p',
    principal: null,
    name: null,
    createdAt: 100,
    startedAt: null,
    completedAt: null,
    failure: null,
    lease: null,
    attempts: 0,
    ...more,
  };
  await createBuildRows(artifacts.parts.database).insert(build);
  return build;
}

for (const [name, open] of Object.entries(databases)) {
  describe(`builds on ${name}`, () => {
    it('are held by one, until the lease ends', async (t) => {
      await using store = await open(t);
      if (!store) return;
      const { database } = store.artifacts.parts;
      const rows = createBuildRows(database);
      const { id } = await pending(store, 'b1');
      const lease = (owner: string, expiresAt: number): Lease => ({ owner, expiresAt });
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_one, index) => rows.claim(id, lease(`runner-${index}`, 130), 101)),
      );
      const [held] = claims.flatMap((claim) => claim?.lease ?? []);
      assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
      assert.ok(held);
      assert.equal(await rows.claimPending(id, lease('external:manifest', 500), 102), false);
      assert.equal(await rows.renew(id, held, 160), true);
      const renewed = { ...held, expiresAt: 160 };
      // The lease of before its renewal is none.
      assert.equal(await rows.renew(id, held, 170), false);
      assert.deepEqual(await rows.runnable(159, 159, 9), []);
      const next = await rows.claim(id, lease('runner-next', 200), 161);
      assert.deepEqual([next?.attempts, next?.startedAt], [2, 101]);
      const finish = (by: Lease) =>
        database.transaction((queries) => rows.complete(queries, id, by, { at: 170, bytes: 7 }));
      assert.equal(await finish(renewed), false);
      assert.equal(await finish(lease('runner-next', 200)), true);
      assert.deepEqual([await rows.bytesSince('p', 170), await rows.bytesSince('p', 171)], [7, 0]);
      const build = await rows.find(id);
      assert.deepEqual([build?.state, build?.lease, build?.completedAt], ['ready', null, 170]);
      assert.equal(build && (await rows.fail(build, null, { code: 'CANCELLED', message: '' }, 171)), false);
    });

    it('lose what was brought for them and nobody took', async (t) => {
      await using store = await open(t);
      if (!store) return;
      const { parts, versions, staging } = store.artifacts;
      const rows = createBuildRows(parts.database);
      const build = await pending(store, 'b2');
      async function bring(attempt: string): Promise<string> {
        const staged = await staging.receive(Readable.from([Buffer.from(attempt)]), 100);
        const bytes = await versions.place(build.target.id, staged);
        await keepUpload(parts.database, build.id, attempt, { bytes, facts: undefined, problem: 'none' }, 100);
        return bytes.blobName;
      }
      const names = [await bring('first'), await bring('second')];
      const there = async () => Promise.all(names.map(async (blob) => (await parts.blobs.open(blob)) !== undefined));
      await removeUploads(parts, 1000);
      assert.deepEqual(await there(), [true, true]);
      await rows.fail(build, null, { code: 'CANCELLED', message: '' }, 101);
      await removeUploads(parts, 100);
      assert.deepEqual(await there(), [true, true]);
      await removeUploads(parts, 101);
      assert.deepEqual(await there(), [false, false]);
      assert.equal(await findUpload(parts.database, build.id, 'first'), undefined);
    });

    it('are taken in turn of their tenants, and forgotten with their version', async (t) => {
      await using store = await open(t);
      if (!store) return;
      const rows = createBuildRows(store.artifacts.parts.database);
      for (const n of [1, 2, 3]) await pending(store, `a${n}`, { pool: 'a', createdAt: n });
      for (const n of [4, 5]) await pending(store, `b${n}`, { pool: 'b', createdAt: n });
      await pending(store, 'c6', { pool: 'c', createdAt: 6 });
      const ids = async (before: number) => (await rows.runnable(10, before, 5)).map(({ id }) => id);
      assert.deepEqual(
        [await ids(10), await ids(2)],
        [
          ['a1', 'b4', 'c6', 'a2', 'b5'],
          ['a1', 'a2'],
        ],
      );
      const lease = { owner: 'runner-other', expiresAt: 1000 };
      await rows.claim('c6', lease, 7);
      const failed = await rows.recover(6, 8);
      assert.equal(failed, 5);
      const c6 = await rows.find('c6');
      // Where several servers share a store, the lease of another one is respected.
      assert.equal(c6?.lease?.expiresAt, store.artifacts.parts.database.dialect === 'sqlite' ? 0 : 1000);
      const a1 = await rows.find('a1');
      assert.deepEqual([a1?.state, a1?.failure?.code], ['failed', 'NEVER_FINISHED']);
      assert.equal((await store.artifacts.versions.get(a1?.target ?? { id: '', version: 0 }))?.state, 'failed');
      await store.artifacts.parts.database.run('DELETE FROM artifact_versions WHERE id = ?', [a1?.target.id ?? '']);
      assert.equal(await rows.find('a1'), undefined);
    });
  });
}
