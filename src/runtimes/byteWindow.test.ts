import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteWindow, withoutCutCharacter } from './byteWindow.ts';

function windowOf(head: number, tail: number, ...pieces: readonly (string | Buffer)[]): string {
  const window = createByteWindow(head, tail);
  for (const piece of pieces) window.push(Buffer.from(piece));
  return window.text();
}

test('what fits is kept whole, in however many pieces it comes', () => {
  assert.equal(windowOf(4, 4), '');
  assert.equal(windowOf(4, 4, 'abcd', 'efgh'), 'abcdefgh');
  assert.equal(windowOf(1000, 1000, ...'x'.repeat(2000)), 'x'.repeat(2000));
});

test('beyond that the beginning and the end are kept, and the rest is counted', () => {
  assert.equal(windowOf(4, 4, 'abcdefghijkl'), 'abcd\n… 4 bytes left out …\nijkl');
  assert.equal(windowOf(4, 4, ...'abcdefghijkl'), 'abcd\n… 4 bytes left out …\nijkl');
  const many = Array.from({ length: 5000 }, (_, number) => `${number % 10}`);
  assert.equal(windowOf(2, 3, ...many), '01\n… 4995 bytes left out …\n789');
});

test('characters are not cut where something is left out', () => {
  assert.equal(windowOf(4, 4, 'aüüüüüz'), 'aü\n… 4 bytes left out …\nüz');
});

test('a character that is not complete is left for later', () => {
  for (const [text, kept] of [
    ['a', 'a'],
    ['ü', ''],
    ['€', ''],
    ['😀', ''],
  ] as const) {
    const bytes = Buffer.from(text);
    assert.equal(withoutCutCharacter(bytes).toString(), text);
    if (bytes.length > 1) assert.equal(withoutCutCharacter(bytes.subarray(0, -1)).toString(), kept);
  }
  assert.equal(withoutCutCharacter(Buffer.from([0x80, 0x80, 0x80, 0x80])).length, 4);
});
