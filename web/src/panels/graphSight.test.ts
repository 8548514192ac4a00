import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, boundsOf, drawnArea, drawnIn, isIn } from './graphSight.ts';

const spots = new Map([
  ['a', { x: 0, y: 0 }],
  ['b', { x: 0, y: 100 }],
  ['c', { x: 0, y: 1000 }],
  ['far', { x: 0, y: 2000 }],
  ['aside', { x: 900, y: 500 }],
]);

test('cells in the area are drawn, and lines that cross it, wherever they end', () => {
  const pairs = [
    ['a', 'b'],
    ['b', 'far'],
    ['c', 'far'],
    ['aside', 'gone'],
  ] as const;
  const drawn = (y: number) => drawnIn(spots, pairs, { x: 0, y, width: 300, height: 200 });
  assert.deepEqual(drawn(400), { ids: [], lines: [['b', 'far']] });
  assert.deepEqual(drawn(50), {
    ids: ['b'],
    lines: [
      ['a', 'b'],
      ['b', 'far'],
    ],
  });
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

test('the name of a line is drawn where its middle is in the area', () => {
  const area = { x: 0, y: 400, width: 300, height: 200 };
  assert.deepEqual(
    [
      { x: 0, y: 400 },
      { x: 301, y: 500 },
      { x: 20, y: 399 },
    ].map((middle) => isIn(area, middle)),
    [true, false, false],
  );
});
