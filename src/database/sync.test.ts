import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { syncOf } from './sync.ts';

it('a log that could not be opened once is opened by the next commit', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sync-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const log = path.join(folder, 'log');
  const sync = syncOf(log);
  await assert.rejects(sync(), { code: 'ENOENT' });
  fs.writeFileSync(log, 'committed');
  await sync();
  await sync.close();
});
