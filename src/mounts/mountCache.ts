// Remote read-only mounts on this machine. Every object is kept once under the digest of what it is; a view is a folder of
// links to the objects that a mount held at one time, made aside and renamed into place. What was long unused goes the same
// way: renamed aside, so that nobody is given half of it. A cell that runs as the server's own user can change what it is
// given: whatever is not as it was fetched is fetched again.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { withoutListing } from '../files/index.ts';
import type { StoredObject } from '../objectStores/index.ts';

export interface ViewRequest {
  /** The same for the same content reached the same way. */
  readonly key: string;
  readonly files: readonly ViewFile[];
  /** Writes the bytes of an object to a file. */
  readonly fetch: (object: StoredObject, target: string) => Promise<void>;
}

export interface ViewFile {
  readonly object: StoredObject;
  /** Below the root of the view. */
  readonly path: string;
  /** Under which its bytes are shared; null for an object that the store does not tell apart from its next version. */
  readonly objectKey: string | null;
}

export interface HeldView {
  readonly folder: string;
  /** It may go from now on, when its time comes. */
  release(): void;
}

export interface MountCache {
  readonly root: string;
  /** How much of these files is here already. */
  cachedBytes(files: readonly ViewFile[]): Promise<number>;
  hold(request: ViewRequest): Promise<HeldView>;
  sweep(): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

export interface CacheLimits {
  /** 0 never removes for size. */
  readonly maxBytes: number;
  /** 0 never removes for age. */
  readonly maxIdleDays: number;
  readonly now?: () => number;
}

const hour = 3_600_000;
const atOnce = 8;
/** What a program that has just started must not be held up by. */
const firstSweepMs = 60_000;
/** Begins the names of what was renamed aside to be removed: whoever was to do so may have been killed. */
const goneMark = 'gone-';

export const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

export function createMountCache(root: string, { maxBytes, maxIdleDays, now = Date.now }: CacheLimits): MountCache {
  const held = new Map<string, number>();
  const making = new Map<string, Promise<void>>();
  const leaving = new Map<string, Promise<void>>();
  let telling: NodeJS.Timeout | undefined;
  let next: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();
  let closed: Promise<void> | undefined;
  const views = path.join(root, 'views');
  const objects = path.join(root, 'objects');
  const dataOf = (key: string): string => path.join(views, key, 'data');
  const lockOf = (key: string): string => path.join(views, key, '.lock');
  const placeOf = (objectKey: string): string => path.join(objects, objectKey.slice(0, 2), objectKey);

  const has = (key: string): Promise<boolean> => isThere(lockOf(key));

  /** Others go through it to what they are told of, and list nothing. */
  async function closeFolders(): Promise<void> {
    for (const folder of [root, views, objects, path.join(root, 'tmp')]) {
      await fs.mkdir(folder, { recursive: true });
      await withoutListing(folder);
    }
  }

  /** Whether the view holds what was fetched for it, and nothing else. */
  async function isAsFetched({ key, files }: ViewRequest): Promise<boolean> {
    if (!(await has(key))) return false;
    const entries = await fs.readdir(dataOf(key), { recursive: true, withFileTypes: true }).catch(() => []);
    const found = entries.filter((entry) => !entry.isDirectory());
    if (found.length !== files.length) return false;
    const whole = await Promise.all(files.map(({ path: at, object }) => isIntact(path.join(dataOf(key), at), object)));
    return whole.every(Boolean);
  }

  async function touch(key: string): Promise<void> {
    const at = new Date(now());
    await fs.utimes(lockOf(key), at, at);
  }

  /** False where somebody who shares this folder has just taken it away. */
  const touched = (key: string): Promise<boolean> =>
    touch(key).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return false;
      },
    );

  /** A server and a worker on one folder know by the time of use alone what the other holds. */
  function tellUse(): void {
    if (held.size === 0) {
      clearInterval(telling);
      telling = undefined;
    } else {
      telling ??= setInterval(() => {
        for (const key of held.keys()) void touch(key).catch(() => {});
      }, hour / 3).unref();
    }
  }

  async function bring(file: ViewFile, target: string, fetch: ViewRequest['fetch']): Promise<void> {
    await fs.mkdir(path.dirname(target), { recursive: true });
    if (file.objectKey === null) {
      await fetch(file.object, target);
      return seal(target);
    }
    const kept = placeOf(file.objectKey);
    // A sweep may take an object that nothing links to: then it is fetched again.
    if ((await isIntact(kept, file.object)) && (await linked(kept, target))) return;
    const part = path.join(root, 'tmp', randomUUID());
    try {
      await fetch(file.object, part);
      await seal(part);
      // Linked before it is among the objects, where what nothing links to goes.
      if (!(await linked(part, target))) {
        await fs.copyFile(part, target);
        await seal(target);
      }
      await fs.mkdir(path.dirname(kept), { recursive: true, mode: 0o711 });
      await fs.rename(part, kept);
    } finally {
      await fs.rm(part, { force: true });
    }
  }

  async function make({ key, files, fetch }: ViewRequest): Promise<void> {
    closed ??= closeFolders();
    await closed;
    const aside = path.join(root, 'tmp', randomUUID());
    const data = path.join(aside, 'data');
    await fs.mkdir(data, { recursive: true });
    // The first that fails ends it for all: nothing is left in the queue, and nobody writes any more.
    const waiting = [...files];
    const workers = Array.from({ length: atOnce }, async () => {
      for (let file = waiting.pop(); file; file = waiting.pop())
        await bring(file, path.join(data, file.path), fetch).catch((error: unknown) => {
          waiting.length = 0;
          throw error;
        });
    });
    try {
      for (const done of await Promise.allSettled(workers)) if (done.status === 'rejected') throw done.reason;
      await fs.writeFile(path.join(aside, '.lock'), '');
      await withoutWriting(data);
      // One that was changed makes room.
      const changed = await moveOut(key);
      await fs.rename(aside, path.join(views, key));
      await removeTree(changed);
    } catch (error) {
      await removeTree(aside);
      // Unless somebody else made the very same view meanwhile.
      if (!(await isAsFetched({ key, files, fetch }))) throw error;
    }
  }

  /** Takes a view away from where it is found, and gives where it is then. */
  async function moveOut(key: string): Promise<string> {
    const gone = path.join(root, 'tmp', `${goneMark}${randomUUID()}`);
    await fs.rename(path.join(views, key), gone).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return gone;
  }

  async function letGo(key: string): Promise<void> {
    const moved = moveOut(key);
    const left = moved.then(
      () => {},
      () => {},
    );
    leaving.set(key, left);
    await removeTree(await moved.finally(() => leaving.delete(key)));
  }

  const usedAt = async (key: string): Promise<number> =>
    (await fs.stat(lockOf(key)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

  async function sweepViews(): Promise<void> {
    const found = await Promise.all(
      (await names(views)).map(async (key) => ({
        key,
        at: await usedAt(key),
        files: await filesBelow(path.join(views, key)),
      })),
    );
    const sizes = bytesOf(found.map(({ files }) => files));
    for (const { key, files } of found.sort((a, b) => a.at - b.at)) {
      // Whoever shares this folder may have used it meanwhile.
      const age = now() - (await usedAt(key));
      const isHeld = (held.get(key) ?? 0) > 0 || age < hour;
      const isIdle = maxIdleDays > 0 && age > maxIdleDays * 24 * hour;
      const isTooMuch = maxBytes > 0 && sizes.total() > maxBytes;
      if (isHeld || !(isIdle || isTooMuch)) continue;
      await letGo(key);
      sizes.without(files);
    }
  }

  async function sweepAll(): Promise<void> {
    await sweepViews();
    for (const name of await names(path.join(root, 'tmp'))) {
      const left = path.join(root, 'tmp', name);
      const { mtimeMs } = await fs.stat(left).catch(() => ({ mtimeMs: now() }));
      if (name.startsWith(goneMark) || now() - mtimeMs > 24 * hour) await removeTree(left);
    }
    // After the links to them: a view that somebody was killed over holds its objects until it is gone.
    for (const group of await names(objects)) {
      for (const name of await names(path.join(objects, group))) {
        const file = path.join(objects, group, name);
        const found = await fs.stat(file).catch(() => undefined);
        if (found?.nlink === 1) await fs.rm(file, { force: true });
      }
    }
  }

  /** Views grow old though nobody asks for any. */
  function sweepIn(milliseconds: number): void {
    clearTimeout(next);
    next = setTimeout(() => void sweep().catch(() => {}), milliseconds).unref();
  }

  function sweep(): Promise<void> {
    const swept = sweeping.then(sweepAll);
    sweeping = swept.catch(() => {});
    sweepIn(hour);
    return swept;
  }

  sweepIn(firstSweepMs);

  return {
    root,
    settled: () => sweeping,
    async cachedBytes(files) {
      const sizes = files.map(async ({ objectKey, object }) =>
        objectKey !== null && (await isThere(placeOf(objectKey))) ? object.size : 0,
      );
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    async hold(request) {
      const { key } = request;
      held.set(key, (held.get(key) ?? 0) + 1);
      const release = (): void => {
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
        tellUse();
      };
      try {
        let isNew = false;
        await leaving.get(key);
        while (!((await isAsFetched(request)) && (await touched(key)))) {
          const other = making.get(key);
          const made = other ?? make(request).finally(() => making.delete(key));
          making.set(key, made);
          // Whoever made it may have been cancelled; then it is tried again from here.
          await (other === undefined ? made : other.catch(() => {}));
          isNew = true;
        }
        // What it takes is made room for at once; nobody waits for that.
        if (isNew) void sweep().catch(() => {});
        tellUse();
        return { folder: dataOf(key), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    sweep,
  };
}

const isThere = async (file: string): Promise<boolean> => (await fs.stat(file).catch(() => undefined)) !== undefined;

/** Files of the cache have this time: one that was written to has another. */
const sealedAt = new Date('2000-01-01T00:00:00Z');

async function seal(file: string): Promise<void> {
  await fs.chmod(file, 0o444);
  await fs.utimes(file, sealedAt, sealedAt);
}

async function isIntact(file: string, { size }: StoredObject): Promise<boolean> {
  const found = await fs.lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size === size && found.mtimeMs === sealedAt.getTime();
}

const linked = (from: string, to: string): Promise<boolean> =>
  fs.link(from, to).then(
    () => true,
    () => false,
  );

interface CachedFile {
  readonly inode: number;
  readonly bytes: number;
}

async function filesBelow(folder: string): Promise<CachedFile[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const found = await fs.stat(path.join(entry.parentPath, entry.name)).catch(() => undefined);
      return found ? [{ inode: found.ino, bytes: found.size }] : [];
    });
  return (await Promise.all(files)).flat();
}

/** How much lies on the disk: views share what they link to. */
function bytesOf(views: readonly (readonly CachedFile[])[]) {
  const links = new Map<number, number>();
  let total = 0;
  for (const { inode, bytes } of views.flat()) {
    const count = links.get(inode) ?? 0;
    links.set(inode, count + 1);
    if (count === 0) total += bytes;
  }
  return {
    total: () => total,
    without(files: readonly CachedFile[]): void {
      for (const { inode, bytes } of files) {
        const count = (links.get(inode) ?? 0) - 1;
        links.set(inode, count);
        if (count === 0) total -= bytes;
      }
    },
  };
}

const names = (folder: string): Promise<string[]> => fs.readdir(folder).catch(() => []);

/** Cells get the very files: what one of them wrote would be another's input. */
async function withoutWriting(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await withoutWriting(place);
    else await fs.chmod(place, 0o444);
  }
  await fs.chmod(folder, 0o555);
}

async function removeTree(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) {
      await fs.chmod(path.join(folder, entry.name), 0o755).catch(() => {});
      await removeTree(path.join(folder, entry.name));
    }
  await fs.rm(folder, { recursive: true, force: true });
}
