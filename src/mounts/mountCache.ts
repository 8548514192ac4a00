// Remote read-only mounts on this machine. Every object is kept once under the digest of what it is; a view is a folder of
// links to the objects that a mount held at one time, made aside and renamed into place. What was long unused goes.
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { RemoteObject } from './stores/store.ts';

export interface ViewRequest {
  /** The same for the same content reached the same way. */
  readonly key: string;
  readonly files: readonly ViewFile[];
  /** Writes the bytes of an object to a file. */
  readonly fetch: (object: RemoteObject, target: string) => Promise<void>;
}

export interface ViewFile {
  readonly object: RemoteObject;
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

export const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

export function createMountCache(root: string, { maxBytes, maxIdleDays, now = Date.now }: CacheLimits): MountCache {
  const held = new Map<string, number>();
  const making = new Map<string, Promise<void>>();
  let telling: NodeJS.Timeout | undefined;
  const views = path.join(root, 'views');
  const objects = path.join(root, 'objects');
  const dataOf = (key: string): string => path.join(views, key, 'data');
  const lockOf = (key: string): string => path.join(views, key, '.lock');
  const placeOf = (objectKey: string): string => path.join(objects, objectKey.slice(0, 2), objectKey);

  const has = (key: string): Promise<boolean> => isThere(lockOf(key));

  async function touch(key: string): Promise<void> {
    const at = new Date(now());
    await fs.utimes(lockOf(key), at, at);
  }

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
    if (file.objectKey === null) return fetch(file.object, target);
    const kept = placeOf(file.objectKey);
    if (!(await isThere(kept))) {
      const part = path.join(root, 'tmp', randomUUID());
      await fs.mkdir(path.dirname(part), { recursive: true });
      await fetch(file.object, part).catch(async (error: unknown) => {
        await fs.rm(part, { force: true });
        throw error;
      });
      await fs.chmod(part, 0o444);
      await fs.mkdir(path.dirname(kept), { recursive: true });
      await fs.rename(part, kept);
    }
    // A sweep may take an object that nothing links to yet: then it is copied from what is still open, or fetched again.
    await fs.link(kept, target).catch(() => fs.copyFile(kept, target));
  }

  async function make({ key, files, fetch }: ViewRequest): Promise<void> {
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
      await fs.mkdir(views, { recursive: true });
      await fs.rename(aside, path.join(views, key));
    } catch (error) {
      await removeTree(aside);
      // Unless somebody else made the very same view meanwhile.
      if (!(await has(key))) throw error;
    }
  }

  async function sizeOf(folder: string): Promise<number> {
    let bytes = 0;
    for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += (await fs.stat(path.join(entry.parentPath, entry.name))).size;
    }
    return bytes;
  }

  async function sweepViews(): Promise<void> {
    const found = await Promise.all(
      (await names(views)).map(async (key) => {
        const usedAt = (await fs.stat(lockOf(key)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
        return { key, usedAt, bytes: await sizeOf(path.join(views, key)) };
      }),
    );
    let total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { key, usedAt, bytes } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      const isHeld = (held.get(key) ?? 0) > 0 || now() - usedAt < hour;
      const isIdle = maxIdleDays > 0 && now() - usedAt > maxIdleDays * 24 * hour;
      const isTooMuch = maxBytes > 0 && total > maxBytes;
      if (isHeld || !(isIdle || isTooMuch)) continue;
      await removeTree(path.join(views, key));
      total -= bytes;
    }
  }

  return {
    root,
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
        while (!(await has(key))) {
          const other = making.get(key);
          const made = other ?? make(request).finally(() => making.delete(key));
          making.set(key, made);
          // Whoever made it may have been cancelled; then it is tried again from here.
          await (other === undefined ? made : other.catch(() => {}));
        }
        await touch(key);
        tellUse();
        return { folder: dataOf(key), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    async sweep() {
      await sweepViews();
      for (const group of await names(objects)) {
        for (const name of await names(path.join(objects, group))) {
          const file = path.join(objects, group, name);
          const { nlink, ctimeMs } = await fs.stat(file);
          if (nlink === 1 && now() - ctimeMs > hour) await fs.rm(file, { force: true });
        }
      }
      for (const name of await names(path.join(root, 'tmp'))) {
        const left = path.join(root, 'tmp', name);
        const { mtimeMs } = await fs.stat(left).catch(() => ({ mtimeMs: now() }));
        if (now() - mtimeMs > 24 * hour) await removeTree(left);
      }
    },
  };
}

const isThere = async (file: string): Promise<boolean> => (await fs.stat(file).catch(() => undefined)) !== undefined;

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
      await fs.chmod(path.join(folder, entry.name), 0o755);
      await removeTree(path.join(folder, entry.name));
    }
  await fs.rm(folder, { recursive: true, force: true });
}
