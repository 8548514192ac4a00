import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { zipOf } from './zip.ts';

describe('a zip', () => {
  it('breaks off when a file of it went away, and harms nobody else', async () => {
    const zip = await zipOf([
      { name: 'here.txt', content: { text: 'here' } },
      { name: 'gone.txt', content: { file: '/nowhere/gone.txt' } },
    ]);
    await assert.rejects(buffer(zip), { code: 'ENOENT' });
  });
});
