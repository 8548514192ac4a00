import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { it } from 'node:test';
import { intoFile } from './intoFile.ts';

const newFolder = () => fs.mkdtemp(path.join(os.tmpdir(), 'svc-into-file-'));

/** Fails before its first piece. */
// biome-ignore lint/correctness/useYield: that is what it is for
async function* refused(): AsyncGenerator<Uint8Array> {
  throw new Error('refused');
}

it('a file whose writing is refused at once stays removed', async () => {
  const folder = await newFolder();
  for (let round = 0; round < 50; round += 1) {
    const file = path.join(folder, `${round}`);
    await assert.rejects(pipeline(refused, intoFile(file)), /refused/);
    await fs.rm(file);
    await assert.rejects(pipeline(Readable.from(refused()), intoFile(file)), /refused/);
    await fs.rm(file);
    await assert.rejects(pipeline(['one'], intoFile(file), { signal: AbortSignal.abort() }), { name: 'AbortError' });
    await fs.rm(file, { force: true });
  }
  // Whatever were still to be opened is by now.
  await fs.writeFile(path.join(folder, 'later'), '');
  assert.deepEqual(await fs.readdir(folder), ['later']);
});

it('what is written is there, after what was there, with the mode that was asked for', async () => {
  const file = path.join(await newFolder(), 'whole');
  await pipeline([Buffer.from('one '), Buffer.from('two')], intoFile(file, { mode: 0o600 }));
  await pipeline([Buffer.from(' three')], intoFile(file, { flags: 'a' }));
  assert.deepEqual([await fs.readFile(file, 'utf8'), (await fs.stat(file)).mode & 0o777], ['one two three', 0o600]);
  await assert.rejects(pipeline(['four'], intoFile(file, { flags: 'wx' })), { code: 'EEXIST' });
});
