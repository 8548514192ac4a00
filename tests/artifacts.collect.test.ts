// Random stores are swept, and nothing that anybody holds may go: what holds a version is worked out here a second time,
// the slow and simple way.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArtifactVersion } from '../src/artifacts/index.ts';
import { findVersion, insertVersion, recordedInputs } from '../src/artifacts/rows.ts';
import { contentOf, databases, keep, type TestStore } from './kit/artifacts.ts';
import { createRandom, type RandomSource } from './kit/random.ts';

const keyOf = ({ id, version }: { id: string; version: number }): string => `${id}@v=${version}`;
const pointerTables = ['names', 'aliases', 'pins', 'publications', 'pending'] as const;

async function fill({ artifacts }: TestStore, random: RandomSource, now: number): Promise<void> {
  const { database } = artifacts.parts;
  const made: ArtifactVersion[] = [];
  for (let index = 0; index < 60; index++) {
    const { version: stored } = await keep(artifacts, `content ${index}`.padEnd(10 + random.below(90)), {
      id: random.below(3) === 0 ? null : `chosen-${random.below(12)}`,
      inputs: Object.fromEntries(
        Array.from({ length: random.below(3) }, () => made[random.below(made.length)])
          .filter((input) => input !== undefined)
          .map((input) => [`svc://artifact/${keyOf(input)}`, keyOf(input)]),
      ),
    });
    made.push(stored);
    // Most were used long ago; some are still being built, failed, or share the bytes of an earlier one.
    const used = now - random.below(100) * 86_400;
    const state = random.pick(['same', 'same', 'same', 'building', 'failed', 'pointer']);
    await database.run('UPDATE artifact_versions SET last_used_at = ?, created_at = ? WHERE id = ? AND version = ?', [
      used,
      used,
      stored.id,
      stored.version,
    ]);
    if (state === 'building' || state === 'failed')
      await database.run('UPDATE artifact_versions SET state = ? WHERE id = ? AND version = ?', [
        state,
        stored.id,
        stored.version,
      ]);
    if (state === 'pointer')
      await database.transaction((queries) =>
        insertVersion(queries, {
          ...stored,
          id: `pointer-${index}`,
          version: 1,
          state: 'superseded',
          minted: true,
          canonical: { id: stored.id, version: stored.version },
          blobName: null,
          lastUsedAt: now - random.below(100) * 86_400,
        }),
      );
    if (random.below(4) === 0) await point(artifacts, random, stored, index);
  }
}

async function point(
  { parts: { database } }: TestStore['artifacts'],
  random: RandomSource,
  { id, version }: ArtifactVersion,
  index: number,
): Promise<void> {
  const name = `n${index}`;
  switch (random.pick(pointerTables)) {
    case 'names':
      await database.run("INSERT INTO artifact_names VALUES ('', ?, ?, ?, 0)", [name, id, version]);
      break;
    case 'aliases':
      await database.run("INSERT INTO artifact_aliases VALUES ('', ?, 'a', ?, ?, 0)", [name, id, version]);
      break;
    case 'pins':
      await database.run("INSERT INTO artifact_pins VALUES (?, ?, 'r', '', NULL, 0)", [id, version]);
      break;
    case 'publications':
      await database.run("INSERT INTO artifact_publications VALUES (?, '', ?, ?, NULL, '[]', '[]', 0, NULL, ?)", [
        name,
        id,
        version,
        random.pick([null, 1]),
      ]);
      break;
    case 'pending':
      await database.run("INSERT INTO registry_pending VALUES ('', ?, 'a', 'set', ?, ?, NULL, 0)", [name, id, version]);
  }
}

/** Everything that must stay, by following what holds what until nothing is added. */
async function heldIn({ artifacts }: TestStore, all: readonly ArtifactVersion[], collectLatest: boolean) {
  const { database } = artifacts.parts;
  const held = new Set<string>();
  for (const table of [
    'artifact_names',
    'artifact_aliases',
    'artifact_pins',
    'artifact_publications',
    'registry_pending',
  ])
    for (const key of await database.all(
      `SELECT artifact_id, version FROM ${table}`,
      [],
      (row) => `${row.artifact_id}@v=${row.version}`,
    ))
      held.add(key);
  for (const version of all) if (version.state === 'building') held.add(keyOf(version));
  if (!collectLatest)
    for (const versions of Map.groupBy(
      all.filter(({ minted }) => !minted),
      ({ id }) => id,
    ).values())
      for (const group of [versions, versions.filter(({ state }) => state === 'ready' || state === 'superseded')]) {
        const newest = group.toSorted((a, b) => b.version - a.version)[0];
        if (newest) held.add(keyOf(newest));
      }
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    for (const version of all.filter((one) => held.has(keyOf(one)))) {
      for (const { address } of recordedInputs(version.inputVersions)) if (address) held.add(keyOf(address));
      if (version.canonical) held.add(keyOf(version.canonical));
    }
  }
  return held;
}

async function everything({ artifacts: { parts } }: TestStore): Promise<ArtifactVersion[]> {
  const addresses = await parts.database.all('SELECT id, version FROM artifact_versions', [], (row) => ({
    id: String(row.id),
    version: Number(row.version),
  }));
  const found = await Promise.all(addresses.map((address) => findVersion(parts.database, address)));
  return found.filter((version) => version !== undefined);
}

const ownBytes = (all: readonly ArtifactVersion[]): number =>
  all
    .filter(({ state, canonical }) => (state === 'ready' || state === 'superseded') && canonical === null)
    .reduce((sum, { byteSize }) => sum + (byteSize ?? 0), 0);

for (const [database, start] of Object.entries(databases)) {
  describe(`collection on ${database}`, () => {
    it('takes nothing that is held, from random stores', async (t) => {
      const random = createRandom((line) => t.diagnostic(line));
      for (let round = 0; round < (database === 'SQLite' ? 6 : 1); round++) {
        await using store = await start(t);
        if (!store) return;
        const now = Date.now() / 1000;
        await fill(store, random, now);
        const before = await everything(store);
        const collectLatest = random.below(2) === 0;
        const held = await heldIn(store, before, collectLatest);
        const policy = {
          maxIdleDays: random.pick([null, 40]),
          maxBytes: random.pick([null, 600]),
          minIdleSeconds: 10 * 86_400,
          collectLatest,
        };
        const planned = await store.artifacts.collection.plan(policy);
        assert.equal(planned.storeBytes, ownBytes(before));
        const collected = await store.artifacts.collection.collect(policy);
        assert.deepEqual(collected.victims.map(keyOf), planned.victims.map(keyOf));
        assert.deepEqual(
          planned.victims.filter(
            (victim) => held.has(keyOf(victim)) || victim.lastUsedAt > now - policy.minIdleSeconds,
          ),
          [],
        );
        const after = await everything(store);
        assert.equal(after.length, before.length - planned.victims.length);
        for (const [id, versions] of Map.groupBy(before, ({ id: one }) => one)) {
          const left = after.filter((version) => version.id === id).map(({ version }) => version);
          const highest = Math.max(...versions.map(({ version }) => version));
          assert.ok(left.length === 0 || left.includes(highest), `${id} lost its highest version`);
        }
        for (const version of after)
          if (version.state === 'ready' || version.state === 'superseded')
            assert.ok((await contentOf(store.artifacts, version))?.startsWith('content'), keyOf(version));
        if (policy.maxIdleDays === null && policy.maxBytes === null) assert.deepEqual(planned.victims, []);
      }
    });
  });
}
