import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openArtifactStore } from './store.ts';

const skip = process.platform !== 'linux' && 'what a process has in memory is told otherwise there';

test('open notebooks keep little of their results in memory, however many were stored', { skip }, async () => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-memory-'));
  /** Beside what JavaScript has and lets go of when it likes. */
  const used = (): number => {
    const { rss, heapTotal, external } = process.memoryUsage();
    return (rss - heapTotal - external) / 1024 / 1024;
  };
  const stores = [];
  let begun = 0;
  const count = 25;
  // The first brings the code.
  for (let at = 0; at <= count; at++) {
    const store = await openArtifactStore(path.join(folder, String(at)));
    stores.push(store);
    for (let number = 0; number < 80; number++) {
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
  assert.ok(each < 2, `each open notebook takes ${each.toFixed(2)} MiB`);
});
