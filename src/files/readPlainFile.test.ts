import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { maxPlainBytes, readPlainFile } from './readPlainFile.ts';

let folder = '';
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-plain-'));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

it('reads a plain file, and through a link', async () => {
  const file = path.join(folder, 'file');
  fs.writeFileSync(file, 'text');
  fs.symlinkSync(file, path.join(folder, 'link'));
  assert.deepEqual(
    await Promise.all(['file', 'link'].map(async (name) => String(await readPlainFile(path.join(folder, name))))),
    ['text', 'text'],
  );
});

it('refuses at once what would make it wait or has no end', async () => {
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  fs.mkdirSync(path.join(folder, 'folder'));
  fs.closeSync(fs.openSync(path.join(folder, 'large'), 'w'));
  fs.truncateSync(path.join(folder, 'large'), maxPlainBytes + 1);
  const refused = async (file: string): Promise<unknown> =>
    readPlainFile(path.resolve(folder, file)).then(String, (error: NodeJS.ErrnoException) => error.code);
  assert.deepEqual(await Promise.all(['pipe', 'folder', 'large', '/dev/zero', 'none'].map(refused)), [
    'not a plain file',
    'EISDIR',
    'more than 16 MiB',
    'not a plain file',
    'ENOENT',
  ]);
});
