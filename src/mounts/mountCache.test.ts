// The cache of mounts keeps to its size, and what it lets go is never what a cell reads.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { createMountCache, type ViewRequest } from './mountCache.ts';

const hour = 3_600_000;

async function newRoot(t: TestContext): Promise<string> {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-mounts-'));
  t.after(() => fs.rm(root, { recursive: true, force: true }));
  return root;
}

/** A view of so many files of five bytes. */
const viewOf = (key: string, count: number, object = key): ViewRequest => ({
  key,
  files: Array.from({ length: count }, (_, at) => ({
    object: { name: `${key}${at}`, size: 5, etag: 'e', mtime: '' },
    path: `${at}`,
    objectKey: `${object}${at}`,
  })),
  fetch: (_object, target) => fs.writeFile(target, 'bytes'),
});

const names = async (...folder: string[]): Promise<string[]> => (await fs.readdir(path.join(...folder))).sort();

/** Resolves when something in the folder changes. */
async function changeIn(folder: string): Promise<void> {
  const watcher = watch(folder);
  await once(watcher, 'change');
  watcher.close();
}

it('an object counts once, however many views hold it', async (t) => {
  const root = await newRoot(t);
  let now = Date.now();
  const cache = createMountCache(root, { maxBytes: 12, maxIdleDays: 0, now: () => now });
  for (const key of ['first', 'second', 'third']) {
    (await cache.hold(viewOf(key, 2, 'shared'))).release();
    now += 2 * hour;
  }
  await cache.sweep();
  assert.deepEqual(await names(root, 'views'), ['first', 'second', 'third'], 'ten bytes lie there');
  (await cache.hold(viewOf('other', 1))).release();
  await cache.settled();
  assert.deepEqual(await names(root, 'views'), ['other'], 'the shared ones are gone with the last that held them');
  assert.deepEqual(await names(root, 'objects'), ['ot', 'sh']);
  assert.deepEqual(await names(root, 'objects/sh'), []);
});

it('a view that is on its way out is made again for whoever asks for it', async (t) => {
  const root = await newRoot(t);
  let now = Date.now();
  const cache = createMountCache(root, { maxBytes: 1, maxIdleDays: 0, now: () => now });
  const request = viewOf('view', 300);
  (await cache.hold(request)).release();
  now += 2 * hour;
  const going = changeIn(path.join(root, 'views/view/data'));
  const swept = cache.sweep();
  await going;
  const { folder } = await cache.hold(request);
  await swept;
  await cache.settled();
  assert.equal((await names(folder)).length, 300);
});

it('keeps to its size when its views have grown old, though nobody asks for any', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const root = await newRoot(t);
  let now = Date.now();
  const cache = createMountCache(root, { maxBytes: 1, maxIdleDays: 0, now: () => now });
  (await cache.hold(viewOf('view', 1))).release();
  await cache.settled();
  assert.deepEqual(await names(root, 'views'), ['view'], 'it was used within the hour');
  now += 2 * hour;
  t.mock.timers.tick(2 * hour);
  await cache.settled();
  assert.deepEqual(await names(root, 'views'), []);
});

const later = (hours: number) => ({ maxBytes: 1, maxIdleDays: 0, now: () => Date.now() + hours * hour });

/** A cache whose program was killed while it removed the files of a view. */
async function killedOverAView(t: TestContext, request: ViewRequest): Promise<string> {
  const root = await newRoot(t);
  (await createMountCache(root, later(0)).hold(request)).release();
  const program = `import { createMountCache } from ${JSON.stringify(new URL('mountCache.ts', import.meta.url).href)};
await createMountCache(${JSON.stringify(root)}, { maxBytes: 1, maxIdleDays: 0, now: () => Date.now() + ${2 * hour} }).sweep();`;
  const going = changeIn(path.join(root, 'views/view/data'));
  const killed = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
  await going;
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  return root;
}

it('one that was killed while it let a view go leaves nothing of it', async (t) => {
  const root = await killedOverAView(t, viewOf('view', 1500));
  await createMountCache(root, later(2)).sweep();
  const left = await fs.readdir(root, { recursive: true, withFileTypes: true });
  assert.deepEqual(
    left.filter((entry) => entry.isFile()),
    [],
  );
});

it('a view over which one was killed is whole for whoever asks next', async (t) => {
  const request = viewOf('view', 1500);
  const root = await killedOverAView(t, request);
  const { folder } = await createMountCache(root, later(0)).hold(request);
  assert.equal((await names(folder)).length, 1500);
});
