import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCursors } from './cursors.ts';

it('cursors are told of once for many moves, each person once, and no more when they have left', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [ann, annsOtherTab, bob] = [{ name: 'ann' }, { name: 'ann' }, { name: 'bob' }];
  const names = new Map<object, string>([ann, annsOtherTab, bob].map((one) => [one, one.name]));
  const told: unknown[] = [];
  const cursors = createCursors(
    (one) => names.get(one) ?? '',
    () => told.push(cursors.list()),
  );
  cursors.joined();
  t.mock.timers.tick(100);
  assert.deepEqual(told, [], 'nobody is anywhere');
  for (let head = 0; head < 50; head++) cursors.move(ann, { cell_id: 'c', anchor: 0, head });
  cursors.move(bob, { cell_id: 'd', anchor: 3, head: 1 });
  cursors.move(annsOtherTab, { cell_id: 'd', anchor: 7, head: 7 });
  t.mock.timers.tick(100);
  cursors.move(annsOtherTab, null);
  cursors.move(bob, null);
  cursors.move(bob, null);
  t.mock.timers.tick(100);
  cursors.joined();
  t.mock.timers.tick(100);
  const first = { principal: 'ann', cell_id: 'c', anchor: 0, head: 49 };
  assert.deepEqual(told, [
    [
      { principal: 'ann', cell_id: 'd', anchor: 7, head: 7 },
      { principal: 'bob', cell_id: 'd', anchor: 3, head: 1 },
    ],
    [first],
    [first],
  ]);
});
