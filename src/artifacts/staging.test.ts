import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openStaging, type Staging } from './staging.ts';

let folder: string;
let staging: Staging;

before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'svc-staging-'));
  staging = await openStaging(folder);
});
after(() => rm(folder, { recursive: true, force: true }));

async function* pieces(bytes: Buffer, length = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const mebibyte = 1024 * 1024;

// Above two, the sum is made beside.
for (const length of [0, 1, mebibyte, 2 * mebibyte, 2 * mebibyte + 1, 2 * mebibyte + 65_536, 20 * mebibyte + 7])
  test(`${length} bytes are counted, summed up and written as they came`, async () => {
    const bytes = randomBytes(length);
    const { file, ...facts } = await staging.receive(pieces(bytes), length);
    assert.deepEqual(facts, { byteSize: length, sha256: createHash('sha256').update(bytes).digest('hex') });
    assert.ok(bytes.equals(await readFile(file)));
    await staging.discard({ file });
  });

test('bodies that arrive side by side have sums of their own', async () => {
  const bodies = Array.from({ length: 4 }, () => randomBytes(5 * mebibyte));
  const staged = await Promise.all(bodies.map((bytes) => staging.receive(pieces(bytes), bytes.length)));
  assert.deepEqual(
    staged.map(({ sha256 }) => sha256),
    bodies.map((bytes) => createHash('sha256').update(bytes).digest('hex')),
  );
  for (const one of staged) await staging.discard(one);
});

test('a body that turns out to be too large leaves nothing, and the next is received', async () => {
  const bytes = randomBytes(6 * mebibyte);
  await assert.rejects(staging.receive(pieces(bytes), 5 * mebibyte));
  assert.deepEqual(await readdir(folder), []);
  const { sha256, file } = await staging.receive(pieces(bytes), bytes.length);
  assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
  await staging.discard({ file });
});
