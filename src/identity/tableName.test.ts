import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tableNameOf } from './tableName.ts';

it('knows a table by what its address says', () => {
  const catalogs = { named: new Set(['lake']), shared: false };
  const cases: [uri: string, reference: string | undefined][] = [
    ['file:///wh#db.t', 'file:db.t'],
    ['/wh#db.t', 'file:db.t'],
    ['s3://bucket/wh#db.t', 's3:db.t'],
    ['S3A://bucket/wh # db.t', 's3:db.t'],
    ['GCS://bucket#db.t', 'gs:db.t'],
    ['\u00a0lake :\tdb\n. t', 'lake:db.t'],
    ['LAKE:db.t', 'file:LAKE:db.t'],
    ['abfss://x#db.t', 'az:db.t'],
    ['lake:db.t', 'lake:db.t'],
    ['other:db.t', 'file:other:db.t'],
    ['db.t', 'file:db.t'],
    ['file:///wh# db . t ', 'file:db.t'],
    ['file:///wh#a.b.c', undefined],
    ['https://example.org/data', undefined],
  ];
  assert.deepEqual(
    cases.map(([uri]) => tableNameOf(uri, catalogs).reference),
    cases.map(([, reference]) => reference),
  );
  assert.deepEqual(tableNameOf('s3://b#db.t', { ...catalogs, shared: true }), {
    reference: 's3:db.t',
    aliases: ['file:db.t', 's3:db.t', 'gs:db.t', 'az:db.t'],
  });
});
