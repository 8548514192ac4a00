import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseTableAddress } from '../tableAddress.ts';
import { tableNameOf } from './tableName.ts';

it('knows a table by what its address says', () => {
  const named = (uri: string, shared = false) => tableNameOf(parseTableAddress(uri, new Set(['lake'])), shared);
  const cases: [uri: string, reference: string][] = [
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
  ];
  assert.deepEqual(
    cases.map(([uri]) => named(uri).reference),
    cases.map(([, reference]) => reference),
  );
  assert.deepEqual(named('s3://b#db.t', true), {
    reference: 's3:db.t',
    aliases: ['file:db.t', 's3:db.t', 'gs:db.t', 'az:db.t'],
  });
});
