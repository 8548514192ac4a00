import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newSecret } from './newSecret.ts';

it('a secret can stand in a command line and in an address', () => {
  const secrets = Array.from({ length: 1000 }, newSecret);
  assert.deepEqual([secrets.filter((secret) => !/^\w[\w-]{42}$/.test(secret)), new Set(secrets).size], [[], 1000]);
});
