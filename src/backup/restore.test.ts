// Backups that somebody else made: nothing of them lands outside the places that were named, and none fills the disk.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { folderPlace } from './folderPlace.ts';
import type { Manifest } from './manifest.ts';
import { objectName } from './place.ts';
import { restoreBackup } from './restore.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function newFolder(context: TestContext): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-restore-'));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

function put(folder: string, sha256: string, content: string | Buffer): void {
  const file = path.join(folder, 'backup', objectName(sha256));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

const restored = (folder: string, folders: Manifest['folders']): Promise<void> =>
  restoreBackup(
    folderPlace(path.join(folder, 'backup')),
    { format: 1, made_at: '', made_by: '', folders, store: null, catalog: null, settings: null, warnings: [] },
    { notebookDir: path.join(folder, 'notebooks'), artifactDir: null, objectStore: null, catalog: '' },
    { signal: new AbortController().signal, onProgress() {} },
  );

const plain = { isNotebook: false, files: [], folders: [], links: [], results: null };
const fileOf = (place: string, text: string) => ({
  path: place,
  sha256: digestOf(text),
  bytes: text.length,
  mode: 0o644,
  modified: '0',
  identity: '',
});

it('writes nothing through a link of another folder in the same backup', async (context) => {
  const folder = newFolder(context);
  const elsewhere = path.join(folder, 'elsewhere');
  fs.mkdirSync(elsewhere);
  put(folder, digestOf('planted'), 'planted');
  const restoring = restored(folder, [
    { ...plain, path: '', links: [{ path: 'inner', target: elsewhere }] },
    { ...plain, path: 'inner', files: [fileOf('planted', 'planted')] },
  ]);
  await assert.rejects(restoring, { code: 'EEXIST' });
  assert.deepEqual([fs.readdirSync(elsewhere), fs.readdirSync(folder).sort()], [[], ['backup', 'elsewhere']]);
});

it('stops at an object that is longer than was said', async (context) => {
  const folder = newFolder(context);
  const megabytes = 64;
  put(folder, digestOf('short'), Buffer.alloc(megabytes * 1024 * 1024));
  let largest = 0;
  const watch = fs.watch(folder, { recursive: true }, (_, name) => {
    if (name?.endsWith('short')) largest = Math.max(largest, sizeOf(path.join(folder, name)));
  });
  await assert.rejects(restored(folder, [{ ...plain, path: '', files: [fileOf('short', 'short')] }]), /is damaged/);
  watch.close();
  assert.ok(largest < 1024 * 1024, `${largest} bytes were written`);
  assert.deepEqual(fs.readdirSync(folder), ['backup']);
});

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
