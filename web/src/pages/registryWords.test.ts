import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deedOf, shortVersion, versionsIn } from './registryWords.ts';

const nothing = { from_artifact_id: null, from_version: null, key: null, value: null, alias: null, tenant: '' };
const entry = (seq: number, action: string, artifact_id: string, more: object = {}) => ({
  ...nothing,
  seq,
  at: seq,
  actor: 'ann',
  action,
  name: 'models/best',
  artifact_id,
  to_version: 1,
  ...more,
});

it('a version is told apart by its artifact', () => {
  assert.equal(shortVersion('svc://artifact/0123456789abcdef@v=3'), '01234567 v3');
  assert.equal(shortVersion('svc://name/x'), 'svc://name/x');
});

it('what was done is said in words', () => {
  const alias = { alias: 'production' };
  assert.deepEqual(
    [
      entry(1, 'name_set', 'aaaaaaaaaa'),
      entry(2, 'alias_request_set', 'aaaaaaaaaa', alias),
      entry(3, 'alias_rejected', 'aaaaaaaaaa', alias),
      entry(4, 'alias_request_delete', 'aaaaaaaaaa', { ...alias, to_version: null }),
      entry(5, 'alias_withdrawn', 'aaaaaaaaaa', alias),
      entry(6, 'tag_set', 'aaaaaaaaaa', { name: null, key: 'stage', value: 'gold' }),
    ].map(deedOf),
    [
      'set models/best to aaaaaaaa v1',
      'asked to set production of models/best to aaaaaaaa v1',
      'refused production of models/best: aaaaaaaa v1',
      'asked to remove production of models/best',
      'no longer asks to change production of models/best',
      'tag set stage gold aaaaaaaa v1',
    ],
  );
});

it('the versions of a name, newest first; one that came back stands where it came back', () => {
  const entries = [
    entry(4, 'name_set', 'a'),
    entry(3, 'alias_set', 'b', { alias: 'champion' }),
    entry(2, 'name_set', 'b'),
    entry(1, 'name_set', 'a'),
  ];
  const past = (artifact_id: string, at: number) => ({
    artifact_id,
    version: 1,
    uri: `svc://artifact/${artifact_id}@v=1`,
    at,
    by: 'ann',
  });
  assert.deepEqual(versionsIn(entries), [past('a', 4), past('b', 2)]);
});
