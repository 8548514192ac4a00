import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut, neighbour } from './graphLayout.ts';

test('readers stand behind what they read, and arrow keys walk along', () => {
  const { places, isSideways } = layOut([
    ['load', 'clean'],
    ['clean', 'plot'],
    ['clean', 'sum'],
  ]);
  const spots = new Map(places.map(([id, x, y]) => [id, { x, y }]));
  const [onward, back, aside] = isSideways
    ? ['ArrowRight', 'ArrowLeft', ['ArrowUp', 'ArrowDown']]
    : ['ArrowDown', 'ArrowUp', ['ArrowLeft', 'ArrowRight']];
  assert.equal(neighbour(spots, 'load', onward), 'clean');
  assert.ok(['plot', 'sum'].includes(neighbour(spots, 'clean', onward) ?? ''));
  assert.equal(neighbour(spots, 'clean', back), 'load');
  assert.equal(neighbour(spots, 'load', back), undefined);
  assert.deepEqual(new Set(aside.map((key) => neighbour(spots, 'plot', key))), new Set([undefined, 'sum']));
  assert.equal(neighbour(spots, null, onward), 'load');
  assert.equal(neighbour(spots, 'load', 'a'), undefined);
});
