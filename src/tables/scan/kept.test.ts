import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKept } from './kept.ts';

const keptOf = (maxSize: number, maxBytes: number) =>
  createKept<string>({ maxSize, maxBytes, bytesOf: (text) => text.length });

test('an answer is asked for once, by however many at a time; one that failed is asked for anew', async () => {
  const kept = keptOf(10, 100);
  let asked = 0;
  const ask = async () => {
    asked += 1;
    if (asked === 1) throw new Error('not now');
    return 'answer';
  };
  await assert.rejects(kept.get('a', ask), /not now/);
  assert.deepEqual(await Promise.all([kept.get('a', ask), kept.get('a', ask)]), ['answer', 'answer']);
  assert.deepEqual([asked, kept.stats()], [2, { size: 1, maxSize: 10, hits: 1, misses: 2, evictions: 0 }]);
});

test('what was not used for longest leaves when there are too many, or when they are too large together', async () => {
  const kept = keptOf(3, 100);
  const asked: string[] = [];
  const get = (key: string, length: number) =>
    kept.get(key, async () => {
      asked.push(key);
      return key.repeat(length);
    });
  for (const key of ['a', 'b', 'c', 'a', 'd']) await get(key, 10);
  assert.deepEqual([asked, kept.stats().size], [['a', 'b', 'c', 'd'], 3]);
  await get('e', 75); // 'c' leaves for its place; the others are 95 together
  await get('d', 10);
  await get('a', 10);
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'e']);
  await get('f', 90);
  await get('e', 75);
  assert.deepEqual(asked, ['a', 'b', 'c', 'd', 'e', 'f', 'e']);
});

test('one that is too large by itself is given and not kept, and nothing is counted twice', async () => {
  const kept = keptOf(3, 100);
  assert.equal((await kept.get('big', async () => 'x'.repeat(101))).length, 101);
  assert.equal(kept.stats().size, 0);
  const slow = Promise.withResolvers<string>();
  const waiting = kept.get('slow', () => slow.promise);
  assert.equal(kept.clear(), 1);
  slow.resolve('x'.repeat(90));
  await waiting;
  await kept.get('b', async () => 'x'.repeat(90));
  assert.equal(kept.stats().size, 1);
});
