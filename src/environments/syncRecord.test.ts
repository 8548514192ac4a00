import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { openHistory } from './jobs.ts';
import { readSyncRecord, writeSyncRecord } from './syncRecord.ts';

it('what jobs did is kept in the notebook, and makes none that was taken away', async (t) => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-record-'));
  t.after(() => fs.rmSync(directory, { recursive: true, force: true }));
  const [record, history] = [await readSyncRecord(directory), await openHistory(directory)];
  for (let times = 0; times < 2; times += 1) await Promise.all([writeSyncRecord(directory, record), history.save()]);
  assert.deepEqual(await readSyncRecord(directory), record);
  assert.deepEqual(fs.readdirSync(path.join(directory, '.svc')), ['environment.json', 'environment_jobs.json']);

  fs.rmSync(directory, { recursive: true });
  await assert.rejects(writeSyncRecord(directory, record), { code: 'ENOENT' });
  await assert.rejects(history.save(), { code: 'ENOENT' });
  assert.equal(fs.existsSync(directory), false);
});
