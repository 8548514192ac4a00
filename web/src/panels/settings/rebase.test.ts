import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rebaseFields, rebaseNamed } from './rebase.ts';

type Row = readonly [name: string, value: string];
const rebase = rebaseNamed<Row>(([name]) => name);

it('what was changed here stays, and what was saved meanwhile is kept beside it', () => {
  const base: Row[] = [
    ['A', '1'],
    ['B', '2'],
    ['C', '3'],
    ['D', '4'],
  ];
  const mine: Row[] = [
    ['A', 'mine'],
    ['B', '2'],
    ['D', '4'],
    ['NEW', 'mine'],
  ];
  const saved: Row[] = [
    ['A', 'theirs'],
    ['B', 'theirs'],
    ['C', '3'],
    ['OTHER', 'theirs'],
  ];
  assert.deepEqual(rebase(base, mine, saved), [
    ['A', 'mine'],
    ['B', 'theirs'],
    ['NEW', 'mine'],
    ['OTHER', 'theirs'],
  ]);
  assert.deepEqual(rebase(base, base, saved), saved.filter(([name]) => name !== 'C').toSpliced(2, 0, ['C', '3']));
});

it('fields that were not touched here are as they were saved', () => {
  assert.deepEqual(
    rebaseFields({ model: 'a', address: 'x' }, { model: 'mine', address: 'x' }, { model: 'b', address: 'theirs' }),
    { model: 'mine', address: 'theirs' },
  );
});
