import assert from 'node:assert/strict';
import { it } from 'node:test';
import { shownText, withoutFinalNewline } from './finalNewline.ts';

it('the final newline of a source is not shown and not lost', () => {
  const file = shownText('x = 1\n');
  assert.equal(file.shown('x = 1\n'), 'x = 1');
  assert.equal(file.stored('x = 12'), 'x = 12\n');
  assert.equal(file.shown('x = 1\n\n'), 'x = 1\n');
});

it('a line that somebody begins at the end stays while they write', () => {
  const { shown, stored } = shownText('x = 1');
  assert.equal(shown(stored('x = 1\n')), 'x = 1\n');
  assert.equal(withoutFinalNewline('x = 1\n'), 'x = 1');
});
