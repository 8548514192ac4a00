import assert from 'node:assert/strict';
import { it } from 'node:test';
import { find, patternOf, replaced, type Wanted } from './finding.ts';

const source = 'price = 1\nPrices = [price, 2]\nprint(price)';

function pattern(wanted: Partial<Wanted> & Pick<Wanted, 'what'>): RegExp {
  const made = patternOf({ isExact: true, isPattern: true, ...wanted });
  assert.ok(made instanceof RegExp);
  return made;
}

it('finds text as it is written, and patterns over lines', () => {
  const places = (made: RegExp) => find(source, made).map(({ line, at, length }) => [line, at, length]);
  assert.deepEqual(places(pattern({ what: 'price', isPattern: false, isExact: false })), [
    [1, 0, 5],
    [2, 10, 5],
    [2, 20, 5],
    [3, 36, 5],
  ]);
  assert.deepEqual(places(pattern({ what: '^pri\\w+' })), [
    [1, 0, 5],
    [3, 30, 5],
  ]);
  assert.deepEqual(places(pattern({ what: 'x*' })), []);
  assert.deepEqual(places(pattern({ what: '[price', isPattern: false })), [[2, 19, 6]]);
});

it('says of a pattern that is none why', () => {
  assert.deepEqual(patternOf({ what: '(a', isExact: true, isPattern: true }), {
    problem: 'Not a regular expression: Unterminated group.',
  });
});

it('replaces all places or one, with what groups found', () => {
  const swap = pattern({ what: '(?<name>\\w+) = (\\w+)' });
  assert.equal(replaced('a = 1\nb = 2', swap, '$2 == $<name> $$', true), '1 == a $\n2 == b $');
  assert.equal(replaced('a = 1', swap, '$1 = $20', true), 'a = 10');
  assert.equal(replaced('a = 1\nb = 2', swap, '$&;', true, 6), 'a = 1\nb = 2;');
  assert.equal(replaced('a.b a.b', pattern({ what: 'a.b', isPattern: false }), '$1', false, 4), 'a.b $1');
});
