import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureOf } from './lineageLayout.ts';

const lines = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

test('what was made stands at the right, and each step left of all that read it', () => {
  const { spots, width, height } = pictureOf('d', lines('ab', 'bd', 'ad', 'cd'));
  assert.deepEqual(Object.fromEntries(spots), {
    a: { x: 0, y: 24 },
    b: { x: 200, y: 0 },
    c: { x: 200, y: 48 },
    d: { x: 400, y: 24 },
  });
  assert.deepEqual([width, height], [550, 82]);
});

test('a step alone, one that nothing leads to, and a circle are drawn once each', () => {
  assert.deepEqual([...pictureOf('d', []).spots.keys()], ['d']);
  assert.deepEqual([...pictureOf('d', lines('xy')).spots.keys()], ['d']);
  const circle = pictureOf('d', lines('ad', 'ba', 'ab'));
  assert.deepEqual([...circle.spots.keys()].sort(), ['a', 'b', 'd']);
  assert.equal(circle.lines.length, 3);
});
