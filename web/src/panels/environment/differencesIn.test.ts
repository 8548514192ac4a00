import assert from 'node:assert/strict';
import { it } from 'node:test';
import { differencesIn } from './differencesIn.ts';

const one = (name: string, specifier: string | null, condition?: string) => ({
  name,
  version: null,
  specifier,
  ...(condition === undefined ? {} : { condition }),
});

it('a package that goes and comes is changed, each time that it stands there', () => {
  const [old, young] = ['python_version < "3.12"', 'python_version >= "3.12"'];
  const removals = [one('numpy', '<2', old), one('numpy', '>=2', young), one('six', null)];
  const additions = [one('numpy', '<2.1', old), one('numpy', '>=2.1', young), one('rich', null)];
  assert.deepEqual(differencesIn({ additions, removals }), {
    added: [one('rich', null)],
    changed: [
      [one('numpy', '<2', old), one('numpy', '<2.1', old)],
      [one('numpy', '>=2', young), one('numpy', '>=2.1', young)],
    ],
    removed: [one('six', null)],
  });
});
