// How the cost of a flood is worked out, by turns whose waits are known.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fairnessOf } from './fairness.ts';

it('neighbouring turns are compared, so that a machine that grows slower is not taken for a flood', () => {
  const turn = (flooded: boolean, read: number, scan: number) => ({
    flooded,
    waits: new Map([
      ['read', [read, read, 10 * read]],
      ['scan', [scan]],
    ]),
  });
  const turns = [turn(false, 1, 10), turn(true, 1, 10), turn(false, 4, 40), turn(true, 8, 80), turn(false, 9, 9)];
  const { cost, waits } = fairnessOf([...turns, turn(true, 9, 9)], ['read', 'scan']);
  assert.deepEqual(
    cost.pairs.map((share) => Math.round(share * 100)),
    [0, 100, 0],
  );
  assert.equal(Math.round(cost.median * 100), 0);
  assert.deepEqual(waits.get('scan'), { calm: [10, 40, 9], flooded: [10, 80, 9] });
});
