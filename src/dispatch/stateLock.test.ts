import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { lockState } from './stateLock.ts';

test('a state is of one dispatcher at a time', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-state-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const unlock = await lockState(folder, 0);
  await assert.rejects(lockState(folder, 0), {
    message: `Another svc dispatch works with ${folder}: stop it, or give this one a folder of its own with --state.`,
  });
  unlock();
  (await lockState(folder, 0))();
});
