import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureOf } from './lineageLayout.ts';

const lines = (...pairs: string[]) => pairs.map((pair) => ({ from: pair[0] ?? '', to: pair[1] ?? '' }));

test('what was made stands at the right, and each step left of all that read it', () => {
  const { spots, paths, width, height } = pictureOf('d', lines('ab', 'bd', 'ad', 'cd'));
  assert.deepEqual(Object.fromEntries(spots), {
    a: { x: 0, y: 24 },
    b: { x: 200, y: 0 },
    c: { x: 200, y: 48 },
    d: { x: 400, y: 24 },
  });
  assert.deepEqual([width, height], [550, 102]);
  // From the first to the last it goes below what stands between.
  assert.deepEqual(paths, [
    'M150 41C175 41 175 17 200 17',
    'M350 17C375 17 375 41 400 41',
    'M150 41C175 41 150 92 175 92H375C400 92 375 41 400 41',
    'M350 65C375 65 375 41 400 41',
  ]);
});

test('a step alone, one that nothing leads to, and a circle are drawn once each', () => {
  assert.deepEqual([...pictureOf('d', []).spots.keys()], ['d']);
  assert.deepEqual([...pictureOf('d', lines('xy')).spots.keys()], ['d']);
  const circle = pictureOf('d', lines('ad', 'ba', 'ab'));
  assert.deepEqual([...circle.spots.keys()].sort(), ['a', 'b', 'd']);
  assert.equal(circle.paths.length, 3);
});
