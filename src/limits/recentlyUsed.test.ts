import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecentlyUsed } from './recentlyUsed.ts';

test('behaves as a map that is rewritten in order of use, whatever is done to it', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state % below;
  };
  const capacity = 5;
  let made = 0;
  const create = () => {
    made += 1;
    return made;
  };
  const tested = createRecentlyUsed(capacity, create);
  let model: [string, number][] = [];

  for (let step = 0; step < 5000; step += 1) {
    if (random(20) === 0) {
      const bound = made - random(8);
      tested.dropWhile((value) => value < bound);
      const kept = model.findIndex(([, value]) => value >= bound);
      model = kept === -1 ? [] : model.slice(kept);
    } else {
      const key = `k${random(9)}`;
      const value = tested.use(key);
      const known = model.find(([other]) => other === key);
      assert.equal(value, known ? known[1] : made, `seed ${seed}, step ${step}`);
      model = model.filter((entry) => entry !== known);
      model.push([key, value]);
      model = model.slice(-capacity);
    }
    const seen = [tested.size, ...model.map(([key]) => tested.peek(key))];
    assert.deepEqual(seen, [model.length, ...model.map(([, value]) => value)], `seed ${seed}, step ${step}`);
  }
});
