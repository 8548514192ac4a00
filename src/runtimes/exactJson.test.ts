import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactly, plainNumber } from './exactJson.ts';

test('numbers print as they were written', () => {
  const text = '{"a":[9007199254740993,1.0,1e-07,-0.0,0.1,12],"b":"1.0","c":1e400}';
  assert.equal(JSON.stringify(parseExactly(text)), text);
});

test('ordinary numbers are ordinary numbers', () => {
  assert.deepEqual(parseExactly('{"a":[1,0.5,-3]}'), { a: [1, 0.5, -3] });
});

test('a number that was kept as written becomes an ordinary one where it is used', () => {
  const values = parseExactly('[300.0, 7, "7.0", null]');
  assert.deepEqual(Array.isArray(values) && values.map(plainNumber), [300, 7, '7.0', null]);
});
