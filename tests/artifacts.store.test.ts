// What the artifact store promises, on both databases: one ready version for each computation, shared bytes, names in the
// same commit, nothing lost and nothing left behind.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { dependentsOf, lineageOf, readAudit, removeVersion } from '../src/artifacts/index.ts';
import { blobFiles, contentOf, databases, hashOf, keep, type TestStore } from './kit/artifacts.ts';

const nobody = { tenant: '', principal: null };
const at = ({ id, version }: { id: string; version: number }) => ({ id, version });

async function build(store: TestStore, id: string, key: string, content: string) {
  const { versions, staging } = store.artifacts;
  const begun = await versions.begin({
    id,
    provenanceHash: hashOf(key),
    transformSpec: null,
    inputVersions: null,
    tenant: '',
    principal: null,
  });
  await versions.upload(begun, await staging.receive(Readable.from([Buffer.from(content)]), 1000));
  return begun;
}

const finish = (store: TestStore, address: { id: string; version: number }, name: string | null = null) =>
  store.artifacts.versions.finalize(address, { schema: '', rowCount: 1, name, actor: nobody });

for (const [database, start] of Object.entries(databases)) {
  describe(`artifacts on ${database}`, () => {
    it('keep their promises', async (t) => {
      await using store = await start(t);
      if (!store) return;
      const { artifacts } = store;
      const { versions, names, aliases, tags, publications, pins, imports, collection } = artifacts;

      await t.test('the same computation is stored once, and named where it is', async () => {
        const first = await keep(artifacts, 'one');
        const files = blobFiles(store);
        const again = await keep(artifacts, 'one', { name: 'n' });
        assert.deepEqual([first.hit, again.hit, at(again.version)], [false, true, at(first.version)]);
        assert.deepEqual(blobFiles(store), files);
        assert.deepEqual(at((await names.find('', 'n')) ?? { id: '', version: 0 }), at(first.version));
        assert.equal(await contentOf(artifacts, first.version), 'one');
        assert.equal((await keep(artifacts, 'one', { tenant: 't1' })).hit, false);
      });

      await t.test('many who store the same at once come to one version', async () => {
        const kept = await Promise.all(Array.from({ length: 8 }, () => keep(artifacts, 'at once')));
        assert.equal(new Set(kept.map(({ version }) => version.id)).size, 1);
        assert.equal(kept.filter(({ hit }) => !hit).length, 1);
        assert.equal(blobFiles(store).length, 3);
      });

      await t.test('a later build of the same result shares the bytes of the first', async () => {
        const first = await build(store, 'a', 'shared', 'bytes');
        const second = await build(store, 'b', 'shared', 'bytes');
        assert.deepEqual([at(await finish(store, first)), at(await finish(store, second))], [at(first), at(first)]);
        const pointer = await versions.get(second);
        assert.deepEqual([pointer?.state, pointer?.canonical], ['superseded', at(first)]);
        assert.equal(await contentOf(artifacts, second), 'bytes');

        await removeVersion(artifacts.parts, first, null);
        const heir = await versions.get(second);
        assert.deepEqual([heir?.state, heir?.canonical], ['superseded', null]);
        assert.equal(await contentOf(artifacts, second), 'bytes');
      });

      await t.test('a refreshed result leaves the one before its own bytes', async () => {
        const first = await build(store, 'r', 'old', 'old bytes');
        await finish(store, first);
        const second = await build(store, 'r', 'old', 'new bytes');
        const ready = await finish(store, second, 'fresh');
        assert.deepEqual([ready.version, (await versions.get(first))?.state], [2, 'superseded']);
        assert.deepEqual(
          [await contentOf(artifacts, first), await contentOf(artifacts, second)],
          ['old bytes', 'new bytes'],
        );
        assert.deepEqual(at(await finish(store, second)), at(second));
      });

      await t.test('an id belongs to the tenant that used it first', async () => {
        await keep(artifacts, 'mine', { id: 'taken', tenant: 't1' });
        await assert.rejects(keep(artifacts, 'theirs', { id: 'taken', tenant: 't2' }), /another tenant/);
        assert.equal(await contentOf(artifacts, { id: 'taken', version: 2 }), undefined);
      });

      await t.test('a result whose name cannot be written is not ready either', async () => {
        for (const name of ['nul\0', 'half \ud800'])
          await assert.rejects(keep(artifacts, 'unnameable', { name }), { name: 'Refusal', kind: 'invalid' });
        assert.equal(await versions.ready('', hashOf('unnameable')), undefined);
        await assert.rejects(names.find('', 'nul\0'), { kind: 'invalid' });
        const { version } = await keep(artifacts, 'one');
        await assert.rejects(tags.set(nobody, version, 'k', '\0'), { kind: 'invalid' });
        await assert.rejects(aliases.set(nobody, 'n', '\udc00', version), { kind: 'invalid' });
        await assert.rejects(pins.pin(nobody, version, '\0'), { kind: 'invalid' });
      });

      await t.test('builds that never finish fail', async () => {
        const begun = await build(store, 'stuck', 'stuck', 'x');
        assert.equal(await versions.failUnfinished(begun.createdAt), 0);
        assert.equal(await versions.failUnfinished(begun.createdAt + 1), 1);
        assert.equal((await versions.get(begun))?.state, 'failed');
        await assert.rejects(finish(store, begun), /not in building state/);
      });

      await t.test('knows what was made from what', async () => {
        const { version: root } = await keep(artifacts, 'root', { id: 'root' });
        const { version: leaf } = await keep(artifacts, 'leaf', {
          id: 'leaf',
          inputs: { 'svc://artifact/root@v=1': 'root@v=1', 'file:///wh#db.t': '1:0:ab' },
        });
        const lineage = await lineageOf(artifacts.versions, leaf, 10, () => true);
        assert.deepEqual(
          [lineage.depth, lineage.nodes.map(({ uri, type }) => [uri, type])],
          [
            1,
            [
              ['svc://artifact/leaf@v=1', 'artifact'],
              ['file:///wh#db.t', 'table'],
              ['svc://artifact/root@v=1', 'artifact'],
            ],
          ],
        );
        const { dependents, total } = await dependentsOf(artifacts.parts, root, 10, undefined);
        assert.deepEqual([dependents.map(at), total], [[at(leaf)], 1]);
      });

      await t.test('moves aliases, and protected ones only after somebody else approved', async () => {
        const { version } = await keep(artifacts, 'aliased');
        const [alice, bob] = ['alice', 'bob'].map((principal) => ({ tenant: '', principal }));
        assert.ok(alice && bob);
        assert.equal(await aliases.set(alice, 'm', 'champ', version), 'applied');
        assert.equal(await aliases.set(alice, 'm', 'champ', version), 'unchanged');
        assert.equal(await aliases.set(alice, 'm', 'production', version), 'pending');
        assert.equal(await aliases.find('', 'm', 'production'), undefined);
        await assert.rejects(aliases.approve(alice, 'm', 'production', { alone: false }), /Separation of duty/);
        assert.equal(
          (await aliases.approve(bob, 'm', 'production', { alone: false, seen: version }))?.requestedBy,
          'alice',
        );
        assert.deepEqual(at((await aliases.find('', 'm', 'production')) ?? { id: '', version: 0 }), at(version));
        assert.equal(await aliases.remove(alice, 'm', 'production'), 'pending');
        assert.equal((await aliases.reject(bob, 'm', 'production'))?.action, 'delete');
        const audit = await readAudit(artifacts.parts.database, { tenant: '', name: 'm', limit: 10 });
        assert.deepEqual(audit.map(({ action }) => action).reverse(), [
          'alias_set',
          'alias_request_set',
          'alias_set',
          'alias_approved',
          'alias_request_delete',
          'alias_rejected',
        ]);
      });

      await t.test('a wish that was taken back by asking for what is there is approved by nobody', async () => {
        const [first, second] = [(await keep(artifacts, 'stays')).version, (await keep(artifacts, 'wished')).version];
        const [alice, bob] = ['alice', 'bob'].map((principal) => ({ tenant: '', principal }));
        assert.ok(alice && bob);
        await aliases.set(alice, 'back', 'production', first);
        await aliases.approve(bob, 'back', 'production', { alone: false });
        assert.equal(await aliases.set(alice, 'back', 'production', second), 'pending');
        assert.equal(await aliases.set(alice, 'back', 'production', first), 'unchanged');
        assert.equal(await aliases.approve(bob, 'back', 'production', { alone: false }), undefined);
        assert.deepEqual(at((await aliases.find('', 'back', 'production')) ?? { id: '', version: 0 }), at(first));
        const [last] = await readAudit(artifacts.parts.database, { tenant: '', name: 'back', limit: 1 });
        assert.equal(last?.action, 'alias_withdrawn');
      });

      await t.test(
        'a wish for an alias that is not there goes when the alias is deleted, and is approved by nobody',
        async () => {
          const { version } = await keep(artifacts, 'only wished');
          const [alice, bob] = ['alice', 'bob'].map((principal) => ({ tenant: '', principal }));
          assert.ok(alice && bob);
          assert.equal(await aliases.set(alice, 'gone', 'production', version), 'pending');
          assert.equal(await aliases.remove(alice, 'gone', 'production'), undefined);
          assert.equal(await aliases.approve(bob, 'gone', 'production', { alone: false }), undefined);
          assert.equal(await aliases.find('', 'gone', 'production'), undefined);
          const audit = await readAudit(artifacts.parts.database, { tenant: '', name: 'gone', limit: 10 });
          assert.deepEqual(
            audit.map(({ action }) => action),
            ['alias_withdrawn', 'alias_request_set'],
          );
        },
      );

      await t.test('tags, titles and people of publications hold no sign that nobody sees', async () => {
        const { version } = await keep(artifacts, 'plainly told');
        const refused = { kind: 'invalid', message: /holds the sign U\+202E/ };
        await assert.rejects(tags.set(nobody, version, 'st\u202eage', 'gold'), refused);
        await assert.rejects(tags.set(nobody, version, 'stage', 'go\u202eld'), refused);
        assert.deepEqual(await tags.of('', version), {});
        const facts = { title: 'T', authors: [], externalIds: [] };
        await assert.rejects(publications.publish(nobody, version, { ...facts, title: 'T\u202e' }), refused);
        for (const author of [{ name: 'A\u202e' }, { name: 'A', affiliation: '\u202eB' }])
          await assert.rejects(publications.publish(nobody, version, { ...facts, authors: [author] }), refused);
        const { publication } = await publications.publish(nobody, version, facts);
        const authors = [{ name: 'A\u202e' }];
        await assert.rejects(publications.edit(nobody, publication, { authors, externalIds: null }), refused);
        await publications.withdraw(nobody, publication);
      });

      await t.test('a name or an alias that only looks like another one is not made', async () => {
        const { version } = await keep(artifacts, 'lookalike');
        const refused = { kind: 'invalid', message: /holds the sign U\+200B/ };
        await assert.rejects(names.set(nobody, 'mo\u200bdel', version), refused);
        await assert.rejects(aliases.set(nobody, 'model', 'pro\u200bduction', version), refused);
        await assert.rejects(aliases.set(nobody, 'mo\u200bdel', 'production', version), refused);
      });

      await t.test('finds versions by their tags', async () => {
        const { version } = await keep(artifacts, 'tagged', { name: 'tagged' });
        await tags.set(nobody, version, 'stage', 'gold');
        await tags.set(nobody, version, 'by', 'ann');
        assert.deepEqual(await tags.search('', 'stage', 'gold'), [
          { ...at(version), names: ['tagged'], tags: { by: 'ann', stage: 'gold' } },
        ]);
        assert.deepEqual(await tags.search('', 'stage', 'lead'), []);
        assert.deepEqual(
          [await tags.remove(nobody, version, 'by'), await tags.remove(nobody, version, 'by')],
          [true, false],
        );
      });

      await t.test('a published version stays until it is withdrawn', async () => {
        const { version } = await keep(artifacts, 'published');
        const facts = { title: 'T', authors: [], externalIds: [] };
        const { token } = await publications.publish(nobody, version, facts);
        assert.ok(token);
        assert.equal((await publications.publish(nobody, version, facts)).token, null);
        await assert.rejects(removeVersion(artifacts.parts, version, null), /is published/);
        const found = await publications.byToken(token);
        assert.ok(found);
        assert.equal(await publications.byToken(found.publicationId), undefined);
        assert.deepEqual(
          [await publications.withdraw(nobody, found), await publications.withdraw(nobody, found)],
          [true, false],
        );
        assert.equal(await removeVersion(artifacts.parts, version, null), true);
      });

      await t.test('imports a version as it was, once', async () => {
        const staged = await artifacts.staging.receive(Readable.from([Buffer.from('imported')]), 100);
        const record = {
          id: 'imp',
          version: 7,
          state: 'ready' as const,
          provenanceHash: hashOf('imported'),
          createdAt: 12,
          schema: null,
          rowCount: null,
          byteSize: null,
          transformSpec: null,
          inputVersions: null,
          principal: 'far',
          contentSha256: hashOf('imported'),
        };
        await imports.stage('', record.contentSha256, staged);
        assert.deepEqual(await imports.land('', record, undefined, false), {
          id: 'imp',
          version: 7,
          written: true,
          remapped: false,
        });
        assert.equal((await imports.land('', record, undefined, false)).written, false);
        assert.equal(await contentOf(artifacts, record), 'imported');
        const other = { ...record, provenanceHash: hashOf('other'), contentSha256: hashOf('other') };
        await assert.rejects(imports.land('', other, undefined, false), /different computation/);
        const bytes = await artifacts.staging.receive(Readable.from([Buffer.from('other')]), 100);
        const landed = await imports.land('', other, bytes, true);
        assert.match(landed.id, /^imp@import=[0-9a-f]{8}$/);
        assert.equal(await contentOf(artifacts, landed), 'other');
        const wrong = await artifacts.staging.receive(Readable.from([Buffer.from('wrong')]), 100);
        await assert.rejects(
          imports.land('', { ...other, version: 9, provenanceHash: hashOf('x') }, wrong, false),
          /do not match/,
        );
      });

      await t.test('collects what nothing holds, and sweeps what a crash left', async () => {
        const { version: pinned } = await keep(artifacts, 'pinned');
        await pins.pin(nobody, pinned, 'why not');
        const { version: loose } = await keep(artifacts, 'loose');
        store.wait(10_000);
        await collection.collect({ maxIdleDays: null, maxBytes: 1, minIdleSeconds: 3600, collectLatest: false });
        assert.deepEqual([await versions.get(loose), (await versions.get(pinned))?.state], [undefined, 'ready']);
        const named = await artifacts.parts.database.all(
          'SELECT COUNT(*) AS n FROM artifact_versions WHERE blob_name IS NOT NULL',
          [],
          (row) => Number(row.n),
        );
        assert.equal(blobFiles(store).length, named[0]);
        store.wait(-10_000);
      });
    });
  });
}
