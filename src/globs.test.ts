import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesGlob } from './globs.ts';

describe('globs', () => {
  const cases: [pattern: string, name: string, matches: boolean][] = [
    ['*', '', true],
    ['a*c', 'abc', true],
    ['a*c', 'abcd', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['[ab]x', 'bx', true],
    ['[!ab]x', 'bx', false],
    ['[!ab]x', 'cx', true],
    ['[a-c]x', 'bx', true],
    ['[]x]y', ']y', true],
    ['[x', '[x', true],
    ['a.b', 'axb', false],
    ['a.b', 'a.b', true],
    ['db.*', 'db.a\nb', true],
    ['A', 'a', false],
    ['a/b', 'a/b', true],
    ['(a|b)', 'a', false],
    ['\\', '\\', true],
    ['[^a]x', '^x', true],
    ['[z-a]x', 'bx', false],
    ['[a-]x', '-x', true],
    ['x[', 'x[', true],
    ['a*b*c', 'aXbbYc', true],
    ['*a', 'ab', false],
  ];
  for (const [pattern, name, matches] of cases) {
    it(`${pattern} ${matches ? 'fits' : 'does not fit'} ${JSON.stringify(name)}`, () => {
      assert.equal(matchesGlob(pattern, name), matches);
    });
  }

  it('does not hang on many stars', () => {
    assert.equal(matchesGlob(`${'*'.repeat(200)}b`, 'a'.repeat(5000)), false);
    assert.equal(matchesGlob(`${'*a'.repeat(12)}*b`, 'a'.repeat(5000)), false);
  });
});
