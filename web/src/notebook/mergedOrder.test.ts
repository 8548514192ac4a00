import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mergedOrder } from './mergedOrder.ts';

const cases: readonly (readonly [wanted: string, present: string, merged: string])[] = [
  ['abc', 'cba', 'abc'],
  ['abc', 'xbyac', 'xabyc'],
  ['abc', 'ca', 'ac'],
  ['', 'ab', 'ab'],
];

for (const [wanted, present, merged] of cases)
  it(`${wanted || 'nothing'} within ${present} is ${merged}`, () =>
    assert.equal(mergedOrder([...wanted], [...present]).join(''), merged));
