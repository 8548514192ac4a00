import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createRunFolders } from './runFolders.ts';

function newParent(): string {
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-runs-')), 'runs');
}

test('every run gets an empty folder of its own, and none is left in the end', async () => {
  const parent = newParent();
  const folders = createRunFolders(parent);
  const taken: string[] = [];
  for (let run = 0; run < 3; run++) {
    const folder = await folders.take();
    assert.deepEqual(fs.readdirSync(folder), []);
    fs.writeFileSync(path.join(folder, 'left.bin'), 'x');
    taken.push(folder);
    folders.discard(folder);
  }
  assert.equal(new Set(taken).size, 3);
  await folders.close();
  assert.deepEqual(fs.readdirSync(parent), []);
});

test('a folder that was made ahead and removed by somebody else is made again', async () => {
  const parent = newParent();
  const folders = createRunFolders(parent);
  folders.discard(await folders.take());
  fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  assert.deepEqual(fs.readdirSync(await folders.take()), []);
  await folders.close();
});
