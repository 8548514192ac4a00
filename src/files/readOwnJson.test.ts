import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readOwnJson } from './readOwnJson.ts';

describe('a note that the service wrote', () => {
  let folder: string;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-own-json-'));
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  function written(content: string): string {
    const file = path.join(folder, 'note.json');
    fs.writeFileSync(file, content);
    return file;
  }

  it('is read', async () => {
    assert.deepEqual(await readOwnJson(written('{"a": [1, {"b": "[[["}]}')), { a: [1, { b: '[[[' }] });
    assert.ok(Array.isArray(await readOwnJson(written(`${'['.repeat(600)}${']'.repeat(600)}`))));
  });

  it('is refused before it is read where somebody put a deep, long or other one in its place', async () => {
    await assert.rejects(readOwnJson(written('['.repeat(601))), /nested deeper than 600 levels/);
    await assert.rejects(readOwnJson(written('{"a":'.repeat(2_000_000))), /nested deeper than 600 levels/);
    await assert.rejects(readOwnJson(written(`"${'x'.repeat(2000)}"`), 1024), /MiB/);
    await assert.rejects(readOwnJson(written(' '.repeat(17 * 1024 ** 2))), /more than 16 MiB/);
    const link = path.join(folder, 'link.json');
    fs.symlinkSync(written('1'), link);
    await assert.rejects(readOwnJson(link), /not a plain file/);
    await assert.rejects(readOwnJson(folder), { code: 'EISDIR' });
  });
});
