import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { processFolders } from './processFolders.ts';

const rootOf = (purpose: string): string => path.join(os.tmpdir(), `${purpose}-${os.userInfo().uid}`);

it('what ended processes left goes, what others use stays', async () => {
  const purpose = `svc-folders-${process.pid}`;
  const folders = processFolders(purpose);
  const used = await folders.take();
  fs.mkdirSync(path.join(rootOf(purpose), '4194305-left'));
  await folders.sweep();
  assert.deepEqual(fs.readdirSync(rootOf(purpose)), [path.basename(used)]);
  await folders.drop(used);
  assert.deepEqual(fs.readdirSync(rootOf(purpose)), []);
  fs.rmdirSync(rootOf(purpose));
});

it('nothing is swept or taken where somebody has laid a link', async () => {
  const purpose = `svc-linked-${process.pid}`;
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-elsewhere-'));
  fs.writeFileSync(path.join(elsewhere, 'precious'), '');
  fs.symlinkSync(elsewhere, rootOf(purpose));
  const folders = processFolders(purpose);
  await folders.sweep();
  await assert.rejects(folders.take(), /belongs to another user/);
  assert.deepEqual(fs.readdirSync(elsewhere), ['precious']);
  fs.rmSync(rootOf(purpose));
  fs.rmSync(elsewhere, { recursive: true });
});
