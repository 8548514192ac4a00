import assert from 'node:assert/strict';
import { it } from 'node:test';
import { remarkWords } from './remarkWords.ts';

const unknown = (line: number) => ({ line, message: 'Undefined name `sales`', code: 'F821' });
const words = (lines: readonly number[]) => remarkWords(lines.map(unknown)).map(({ text }) => text);

it('says what holds for several lines once, with the lines', () => {
  assert.deepEqual(words([1]), ['line 1: Undefined name sales']);
  assert.deepEqual(words([1, 2, 2, 3]), ['lines 1, 2 and 3: Undefined name sales']);
  assert.deepEqual(words([1, 2, 3, 4, 5, 6]), ['lines 1, 2, 3, 4 and 2 more: Undefined name sales']);
  assert.deepEqual(
    remarkWords([unknown(2), { line: 1, message: '`os` imported but unused', code: 'F401' }, unknown(7)]),
    [
      { text: 'lines 2 and 7: Undefined name sales', code: 'F821' },
      { text: 'line 1: os imported but unused', code: 'F401' },
    ],
  );
});
