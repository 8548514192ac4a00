import assert from 'node:assert/strict';
import { it } from 'node:test';
import { barAt, elementHeight, moved, topAt } from './scrollSpace.ts';

const spaceOf = (whole: number, viewport = 300) => {
  const height = elementHeight(whole);
  return { whole, height, barEnd: height - viewport };
};

it('a table that fits is scrolled pixel by pixel', () => {
  const space = spaceOf(26_000);
  assert.deepEqual([topAt(space, 0), topAt(space, 777), topAt(space, 25_700)], [0, 777, 25_700]);
  assert.equal(barAt(space, 777), 777);
  assert.deepEqual(moved(space, { bar: 0, top: 0 }, 20_000, 5000), { bar: 20_000, top: 20_000 });
});

it('the bar reaches both ends of a table of any height, and every row has a place on it', () => {
  const space = spaceOf(260_000_000_000);
  assert.equal(topAt(space, space.barEnd), 260_000_000_000 - 300);
  assert.equal(barAt(space, Number.MAX_SAFE_INTEGER), space.barEnd);
  for (const bar of [0, 5, 99_999, 100_000, 100_001, 3_000_000, space.barEnd - 100_001, space.barEnd - 7])
    assert.ok(Math.abs(barAt(space, topAt(space, bar)) - bar) < 0.001, String(bar));
});

it('steps are pixels of the table; a jump goes where the bar points', () => {
  const space = spaceOf(260_000_000);
  const middle = { bar: 3_000_000, top: topAt(space, 3_000_000) };
  assert.deepEqual(moved(space, middle, 3_000_100, 5000), { bar: 3_000_100, top: middle.top + 100 });
  assert.deepEqual(moved(space, middle, 4_000_000, 5000), { bar: 4_000_000, top: topAt(space, 4_000_000) });
  assert.deepEqual(moved(space, { bar: 90, top: 5000 }, 0, 5000), { bar: 0, top: 0 });
});
