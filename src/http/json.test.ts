import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RequestInvalid } from './errors/validation.ts';
import { parseJson } from './json.ts';

describe('JSON bodies', () => {
  const good: [text: string, value: unknown][] = [
    ['', undefined],
    [' \n', undefined],
    ['{"a": [1, 2.5, "x\\u0041", null, true]}', { a: [1, 2.5, 'xA', null, true] }],
    ['"[[[{{{"', '[[[{{{'],
    ['"a \\" [ b"', 'a " [ b'],
    [`${'['.repeat(128)}${']'.repeat(128)}`, JSON.parse(`${'['.repeat(128)}${']'.repeat(128)}`)],
  ];
  for (const [text, value] of good) it(`reads ${text.slice(0, 40)}`, () => assert.deepEqual(parseJson(text), value));

  const bad: [text: string, offset: number][] = [
    ['{"a": [}', 7],
    ['{"a" 1}', 5],
    ['{"a": 1,}', 8],
    ['[1 2]', 3],
    ['[1,]', 3],
    ['[', 1],
    ['"open', 0],
    ['tru', 0],
    ['[01]', 2],
    ['{} x', 3],
    ['{"a":1}}', 7],
    ['{1: 2}', 1],
    ['["\n"]', 1],
  ];
  for (const [text, offset] of bad) {
    it(`says where ${JSON.stringify(text)} goes wrong`, () => {
      assert.throws(
        () => parseJson(text),
        (error) => error instanceof RequestInvalid && error.entries[0]?.loc[1] === offset,
      );
    });
  }

  it('refuses one level more than it takes', () => {
    assert.throws(() => parseJson(`${'['.repeat(129)}${']'.repeat(129)}`), RequestInvalid);
  });

  it('refuses a prototype however it is spelled', () => {
    assert.throws(() => parseJson('{"a": {"__proto__": 1}}'), RequestInvalid);
    assert.throws(() => parseJson('{"a": {"\\u005f_proto__": 1}}'), RequestInvalid);
    assert.throws(() => parseJson('{"__\\u0070\\u0072\\u006F\\u0074o__": 1}'), RequestInvalid);
    assert.deepEqual(parseJson('{"proto": "\\u005f"}'), { proto: '_' });
  });
});
