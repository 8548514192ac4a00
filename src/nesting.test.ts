import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNestedBeyond } from './nesting.ts';

test('lists and objects count, what stands in texts does not', () => {
  const verdicts = (text: string): boolean[] => [2, 3].map((most) => isNestedBeyond(text, most));
  assert.deepEqual(verdicts('[{"a": []}]'), [true, false]);
  assert.deepEqual(verdicts('[[],[],{}]'), [false, false]);
  assert.deepEqual(verdicts(String.raw`["[[[[", "\"[[[[", "\\", [[]]]`), [true, false]);
  assert.deepEqual(verdicts('["[[[[[['), [false, false]);
  assert.deepEqual(verdicts(''), [false, false]);
});

test('a text of any kind is gone through once', () => {
  const began = performance.now();
  for (const text of ['"'.repeat(4e6), `"${'\\'.repeat(4e6)}"`, `"${'\\"'.repeat(4e6)}`, '[]'.repeat(4e6)])
    assert.equal(isNestedBeyond(text, 100), false);
  assert.equal(isNestedBeyond('['.repeat(4e6), 100), true);
  assert.ok(performance.now() - began < 5000, `it took ${performance.now() - began} ms`);
});
