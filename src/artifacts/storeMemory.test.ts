import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openArtifactStore } from './store.ts';

const skip = process.platform !== 'linux' && 'what a process has in memory is told otherwise there';

/** Set in the process that measures. */
const measures = 'SVC_TEST_MEASURES_MEMORY';
const count = 25;
const values = 80;
const most = 2;

/** Beside what JavaScript has and lets go of when it likes. */
const used = (): number => {
  const { rss, heapTotal, external } = process.memoryUsage();
  return (rss - heapTotal - external) / 1024 / 1024;
};

/** What each of many open notebooks adds, in MiB. */
async function takenByEach(): Promise<number> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-memory-'));
  const stores = [];
  let begun = 0;
  // The first brings the code.
  for (let at = 0; at <= count; at++) {
    const store = await openArtifactStore(path.join(folder, String(at)));
    stores.push(store);
    for (let number = 0; number < values; number++) {
      const file = path.join(folder, 'value');
      await fs.writeFile(file, Buffer.alloc(32 * 1024, number));
      await store.store([
        {
          id: `value${number}`,
          provenanceHash: `key${number}`,
          file,
          byteSize: 32 * 1024,
          rowCount: null,
          contentSha256: '',
          transformSpec: '{}',
          inputVersions: '{}',
        },
      ]);
    }
    if (at === 0) begun = used();
  }
  const each = (used() - begun) / count;
  for (const store of stores) await store.close();
  await fs.rm(folder, { recursive: true });
  return each;
}

/** In a process of its own: what one look has freed, the next would use again and call nothing. */
async function takenInNewProcess(): Promise<number> {
  const env = { ...process.env, [measures]: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], { env });
  return Number(stdout);
}

if (process.env[measures]) process.stdout.write(String(await takenByEach()));
else
  test('open notebooks keep little of their results in memory, however many were stored', { skip }, async () => {
    // What they keep they keep each time; what lies about until it is collected is there now and then.
    const seen: number[] = [];
    while (seen.length < 3 && !seen.some((each) => each < most)) seen.push(await takenInNewProcess());
    const told = seen.map((each) => each.toFixed(2)).join(', ');
    assert.ok(Math.min(...seen) < most, `each open notebook takes ${told} MiB`);
  });
