import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExactNumber, parseDigits, parseExactly, plainNumber } from './exactJson.ts';

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

test('whole numbers keep their digits', () => {
  const text = '{"preview":{"id":12345678901234567,"ids":[-98765432109876543210,1.5,7],"text":"12345678901234567890"}}';
  const read = parseDigits(text);
  assert.equal(JSON.stringify(read), text);
  const { preview } = Object(read);
  assert.deepEqual([isExactNumber(preview.id), isExactNumber(preview.ids[2])], [true, false]);
  assert.deepEqual(parseDigits('{"seq":1}'), { seq: 1 });
});
