import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createFilePrints, missingFile } from './filePrints.ts';

test('a file has the print of what it holds, and is read only when it was written to', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prints-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'x');
  const prints = createFilePrints();
  assert.deepEqual(await prints.of(file), missingFile);
  fs.writeFileSync(file, 'one');
  const one = await prints.of(file);
  fs.writeFileSync(file, 'two!');
  const two = await prints.of(file);
  assert.notEqual(two.print, one.print);
  fs.writeFileSync(file, 'one');
  assert.equal((await prints.of(file)).print, one.print);

  const later = createFilePrints();
  later.know(file, { ...(await prints.of(file)), print: 'known' });
  assert.equal((await later.of(file)).print, 'known', 'by its size, time and number');
  fs.writeFileSync(file, 'three');
  assert.notEqual((await later.of(file)).print, 'known');
  assert.deepEqual(await prints.of(folder), missingFile, 'a folder holds nothing');
});
