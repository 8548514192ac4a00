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
  const tested = createRecentlyUsed<number>(capacity);
  let model: [string, number][] = [];

  for (let step = 0; step < 5000; step += 1) {
    const told = `seed ${seed}, step ${step}`;
    const key = `k${random(9)}`;
    const known = model.find(([other]) => other === key);
    const others = model.filter((entry) => entry !== known);
    const choice = random(20);
    if (choice === 0) {
      const bound = made - random(8);
      tested.dropWhile((value) => value < bound);
      const kept = model.findIndex(([, value]) => value >= bound);
      model = kept === -1 ? [] : model.slice(kept);
    } else if (choice === 1) {
      tested.delete(key);
      model = others;
    } else if (choice < 8) {
      assert.equal(tested.get(key), known?.[1], told);
      if (known) model = [...others, known];
    } else {
      made += 1;
      const all: [string, number][] = [...others, [key, made]];
      assert.equal(tested.set(key, made), all.length > capacity ? all[0]?.[1] : undefined, told);
      model = all.slice(-capacity);
    }
    const seen = [tested.size, ...model.map(([other]) => tested.peek(other))];
    assert.deepEqual(seen, [model.length, ...model.map(([, value]) => value)], told);
  }
});
