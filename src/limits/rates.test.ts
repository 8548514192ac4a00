import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRates } from './rates.ts';

test('a rate is of the last second, and of each one by itself', () => {
  const rates = createRates();
  for (let at = 0; at < 1000; at += 100) rates.count('ten', at);
  rates.count('one', 500);
  const asked = [999, 1000, 1500, 2000].map((at) => [rates.perSecond('ten', at), rates.perSecond('one', at)]);
  assert.deepEqual(asked, [
    [10, 1],
    [10, 1],
    [5, 0.5],
    [0, 0],
  ]);
  rates.count('ten', 9999);
  assert.equal(rates.perSecond('ten', 9999), 1);
});
