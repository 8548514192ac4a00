import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseTableAddress } from './tableAddress.ts';

const named = new Set(['lake']);
const parts = (uri: string) => {
  const { uri: _uri, ...rest } = parseTableAddress(uri, named);
  return Object.values(rest).join(' | ');
};

it('an address names a warehouse, a catalog or neither, and a table', () => {
  assert.deepEqual(
    [
      'file:///wh#db.t',
      '/wh#db.t',
      's3://b/wh#db.t',
      'lake:db.t',
      ' lake : db . t ',
      'db.t',
      '/a#b#db.t',
      'file:///a%20b#db.t',
    ].map(parts),
    [
      '/wh |  | db | t',
      '/wh |  | db | t',
      's3://b/wh |  | db | t',
      ' | lake | db | t',
      ' | lake | db | t',
      ' |  | db | t',
      '/a#b |  | db | t',
      '/a b |  | db | t',
    ],
  );
});

it('what names no table is refused', () => {
  for (const uri of ['', 't', 'a.b.c', '.t', 'db.', '#db.t', '/wh#t', 'lake:t', '/wh#a/b.t', 'db.\0'])
    assert.throws(() => parseTableAddress(uri, named), { kind: 'invalid' }, uri);
});
