import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formulaOf } from './formula.ts';

it('one formula is told from text with formulas in it', () => {
  const sources = ['$x^2$', '$$\\frac{a}{b}$$', '\\[y\\]', 'x + y', 'cost: \\$5', 'from $a$ to $b$', '$a$ and $b$'];
  assert.deepEqual(sources.map(formulaOf), ['x^2', '\\frac{a}{b}', 'y', 'x + y', 'cost: \\$5', null, null]);
});
