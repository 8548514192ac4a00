import assert from 'node:assert/strict';
import { it } from 'node:test';
import { find, patternOf, placeOf, replaced, replacedOne, spotAt, type Wanted } from './finding.ts';

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

it('goes from place to place, past what it has put there', () => {
  const oneByOne = (source: string, what: string, by: string): string[] => {
    const made = pattern({ what });
    const texts = [source];
    let [text, place] = [source, 0];
    for (let hits = find(text, made); hits[place]; hits = find(text, made)) {
      const done = replacedOne(text, made, by, true, hits[place] ?? assert.fail());
      text = done.text;
      place += done.added;
      texts.push(text);
    }
    return texts;
  };
  assert.deepEqual(oneByOne('x x x', '(x)', '$1$1'), ['x x x', 'xx x x', 'xx xx x', 'xx xx xx']);
  assert.deepEqual(oneByOne('ab ab', '(a)(b)', '$2$1'), ['ab ab', 'ba ab', 'ba ba']);
  assert.deepEqual(oneByOne('xxx', 'x', ''), ['xxx', 'xx', 'x', '']);
});

it('stays at a place while others write in other cells', () => {
  const hits = ['b', 'b', 'c'].map((id) => ({ id }));
  assert.deepEqual(
    [-1, 0, 1, 2].map((place) => spotAt(hits, place)),
    [null, { id: 'b', nth: 0 }, { id: 'b', nth: 1 }, { id: 'c', nth: 0 }],
  );
  const order = ['a', 'b', 'c'];
  const places = (ids: string) =>
    [null, { id: 'b', nth: 1 }, { id: 'c', nth: 0 }, { id: 'c', nth: 1 }].map((spot) =>
      placeOf(
        [...ids].map((id) => ({ id })),
        spot,
        order,
      ),
    );
  assert.deepEqual(places('bbc'), [0, 1, 2, 0]);
  assert.deepEqual(places('aabbc'), [0, 3, 4, 0]);
  assert.deepEqual(places('bc'), [0, 1, 1, 0], 'of a cell that has fewer, the next cell is next');
  assert.deepEqual(places(''), [0, 0, 0, 0]);
});
