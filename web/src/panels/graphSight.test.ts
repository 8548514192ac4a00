import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, boundsOf, drawnArea, drawnIn, keepSame } from './graphSight.ts';

const spots = new Map([
  ['a', { x: 0, y: 0 }],
  ['b', { x: 0, y: 100 }],
  ['c', { x: 0, y: 1000 }],
  ['far', { x: 0, y: 2000 }],
  ['aside', { x: 900, y: 500 }],
]);

test('cells in the area are drawn, and both ends of a line that crosses it', () => {
  const pairs = [
    ['a', 'b'],
    ['b', 'far'],
    ['c', 'far'],
    ['aside', 'gone'],
  ] as const;
  const { ids, lines } = drawnIn(spots, pairs, { x: 0, y: 400, width: 300, height: 200 });
  assert.deepEqual([[...ids], lines], [['b', 'far'], [['b', 'far']]]);
});

test('a small move draws nothing anew; one beyond the area, or much nearer, does', () => {
  const sight = areaOf({ x: -100, y: 0, zoom: 0.5 }, 200, 100);
  assert.deepEqual(sight, { x: 200, y: -0, width: 400, height: 200 });
  const drawn = drawnArea(null, sight);
  assert.deepEqual(drawn, { x: 0, y: -100, width: 800, height: 400 });
  assert.equal(drawnArea(drawn, { ...sight, x: 300 }), drawn);
  assert.deepEqual(drawnArea(drawn, { ...sight, x: 500 }), { x: 300, y: -100, width: 800, height: 400 });
  assert.deepEqual(drawnArea(drawn, { x: 200, y: 0, width: 100, height: 50 }), {
    x: 150,
    y: -25,
    width: 200,
    height: 100,
  });
});

test('the bounds hold every cell', () => {
  assert.deepEqual(boundsOf(spots), { x: 0, y: 0, width: 1030, height: 2030 });
});

test('what looks as before is the very same', () => {
  const [a, b] = [
    { id: 'a', look: 'plain' },
    { id: 'b', look: 'plain' },
  ];
  const now = [{ id: 'b', look: 'chosen' }, { ...a }, { id: 'c', look: 'plain' }];
  const kept = keepSame(new Map([a, b].map((one) => [one.id, one])), now, (one, other) => one.look === other.look);
  assert.deepEqual([...kept.values()], now.with(1, a));
  assert.equal(kept.get('a'), a);
});
