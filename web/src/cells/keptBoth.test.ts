import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keptBoth } from './keptBoth.ts';

const base = 'a = 1\nb = 2\nc = 3';
const cases: [what: string, theirs: string, yours: string, both: string][] = [
  ['different lines', 'a = 10\nb = 2\nc = 3', 'a = 1\nb = 2\nc = 30', 'a = 10\nb = 2\nc = 30'],
  ['lines at the same end', `${base}\nann = 1`, `${base}\nbob = 1`, `${base}\nann = 1\nbob = 1`],
  ['the same line', 'a = 1\nb = 20\nc = 3', 'a = 1\nb = 21\nc = 3', 'a = 1\nb = 20\nb = 21\nc = 3'],
  ['the same change', 'a = 1\nb = 9\nc = 3', 'a = 1\nb = 9\nc = 3', 'a = 1\nb = 9\nc = 3'],
  ['a line removed, another added', 'a = 1\nc = 3', `${base}\nd = 4`, 'a = 1\nc = 3\nd = 4'],
  ['a final newline', base, `${base}\nd = 4\n`, `${base}\nd = 4\n`],
];
for (const [what, theirs, yours, both] of cases)
  it(`keeps what two wrote at once: ${what}`, () => assert.equal(keptBoth(base, theirs, yours), both));

it('keeps what two wrote at once: a text that was empty', () => assert.equal(keptBoth('', 'x', 'y'), 'x\ny'));
