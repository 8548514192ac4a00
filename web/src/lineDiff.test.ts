import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineDiff } from './lineDiff.ts';

const signs = { same: ' ', gone: '-', new: '+' };
const shown = (before: string, after: string): string =>
  lineDiff(before, after)
    .map(({ kind, text }) => `${signs[kind]}${text}`)
    .join('\n');

describe('a diff by lines', () => {
  const cases: readonly [name: string, before: string, after: string, diff: string][] = [
    ['nothing changes', 'a\nb\n', 'a\nb', ' a\n b'],
    ['a line is another', 'a\nb\nc', 'a\nx\nc', ' a\n-b\n+x\n c'],
    ['lines come and go', 'a\nb\nc\nd', 'b\nc\nx\nd\ne', '-a\n b\n c\n+x\n d\n+e'],
    ['an empty text', '', 'a\nb', '+a\n+b'],
    ['all goes', 'a\nb', '', '-a\n-b'],
    ['repeated lines', 'a\na\nb', 'a\nb\na', ' a\n-a\n b\n+a'],
  ];
  for (const [name, before, after, diff] of cases) it(name, () => assert.equal(shown(before, after), diff));

  it('of long texts without anything in common is quick', () => {
    const text = (word: string) => Array.from({ length: 5000 }, (_, line) => `${word} ${line}`).join('\n');
    const began = performance.now();
    assert.equal(lineDiff(text('old'), text('new')).length, 10_000);
    assert.ok(performance.now() - began < 1000);
  });
});
