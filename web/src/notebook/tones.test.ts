import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTones } from './tones.ts';

test('people have colours of their own, and keep them; a sixth shares one', () => {
  const toneOf = createTones();
  // By their letters alone these two would have the same.
  const [ann, bob] = [toneOf('ann'), toneOf('nan')];
  assert.notEqual(ann, bob);
  const more = ['carl', 'dora', 'eve'].map(toneOf);
  assert.equal(new Set([ann, bob, ...more]).size, 5);
  assert.ok([ann, bob, ...more].includes(toneOf('frank')));
  assert.deepEqual([toneOf('ann'), toneOf('nan')], [ann, bob]);
});
