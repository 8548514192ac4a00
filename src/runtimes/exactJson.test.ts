import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactly } from './exactJson.ts';

test('numbers print as they were written', () => {
  const text = '{"a":[9007199254740993,1.0,1e-07,-0.0,0.1,12],"b":"1.0","c":1e400}';
  assert.equal(JSON.stringify(parseExactly(text)), text);
});

test('ordinary numbers are ordinary numbers', () => {
  assert.deepEqual(parseExactly('{"a":[1,0.5,-3]}'), { a: [1, 0.5, -3] });
});
