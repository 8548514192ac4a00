import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canonicalJson, parseExact, transformHash, transformSpec } from './transform.ts';

it('hashes a computation as it was sent', () => {
  const spec = transformSpec({
    executor: 'my@v1',
    inputs: ['file:///x#a.b'],
    params: parseExact('{"k":1,"f":1.5,"n":null,"b":true}'),
  });
  assert.equal(
    spec,
    '{"executor": "my@v1", "inputs": ["file:///x#a.b"], "params": {"b": true, "f": 1.5, "k": 1, "n": null}}',
  );
  assert.equal(
    transformHash(spec, { 'file:///x#a.b': 'file:///x#a.b' }),
    '96383e43a1de3fa899ad0be063c3f4bfa018a6d14e676a8a746f3125a518a239',
  );
});

it('writes numbers and text in one way only', () => {
  const written = (text: string): string => canonicalJson(parseExact(text));
  assert.equal(
    written('[1.0, 1, 9007199254740993, -0, -0.0, 1e5, 1E400]'),
    '[1.0, 1, 9007199254740993, 0, -0.0, 100000.0, Infinity]',
  );
  assert.equal(
    written('[0.0001, 0.00001, 1e15, 1e16, 1.5e300, 0.1]'),
    '[0.0001, 1e-05, 1000000000000000.0, 1e+16, 1.5e+300, 0.1]',
  );
  assert.equal(written('{"b": "é😀", "a": []}'), '{"a": [], "b": "\\u00e9\\ud83d\\ude00"}');
});
