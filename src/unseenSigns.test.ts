import assert from 'node:assert/strict';
import { it } from 'node:test';
import { unseenSign } from './unseenSigns.ts';

it('names that look like others are told by the sign that makes them so', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['sales\u202egpj.py', 'U+202E'],
    ['a\u2066b', 'U+2066'],
    ['a\u200fb', 'U+200F'],
    ['a\u061cb', 'U+061C'],
    ['no\u200btes', 'U+200B'],
    ['\ufeffnotes', 'U+FEFF'],
    ['no\u00adtes', 'U+00AD'],
    ['no\u200ctes', 'U+200C'],
    ['é\u200d\u200dé', 'U+200D'],
    ['notes\u200d', 'U+200D'],
    ['a\nb', 'U+000A'],
    ['a\u2028b', 'U+2028'],
    ['a\u001b[2Jb', 'U+001B'],
    ['a\u{e0041}b', 'U+E0041'],
    ['Ünïcode Ω 日本 שלום مرحبا', undefined],
    ['می\u200cخواهم', undefined],
    ['क्\u200dष', undefined],
    ['👩\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 🏃🏽\u200d♀\ufe0f', undefined],
    ['葛\u{e0100}', undefined],
    ['plain name-1.0_x', undefined],
  ];
  for (const [name, sign] of cases) assert.equal(unseenSign(name), sign, JSON.stringify(name));
});

it('a name of a million signs is looked through at once', () => {
  const began = performance.now();
  assert.equal(unseenSign('é\u200d'.repeat(500_000)), 'U+200D');
  assert.ok(performance.now() - began < 2000);
});
