// Where the cache of mounts keeps what, and what is done with its files.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { withoutListing } from '../files/index.ts';
import type { StoredObject } from '../objectStores/index.ts';

/** Begins the names of what was renamed aside to be removed: whoever was to do so may have been killed. */
export const goneMark = 'gone-';

export type CachePlaces = ReturnType<typeof cachePlaces>;

export function cachePlaces(root: string) {
  const [views, objects, temporary] = [path.join(root, 'views'), path.join(root, 'objects'), path.join(root, 'tmp')];
  return {
    views,
    objects,
    temporary,
    viewOf: (key: string): string => path.join(views, key),
    dataOf: (key: string): string => path.join(views, key, 'data'),
    /** Its time is that of the last use. */
    lockOf: (key: string): string => path.join(views, key, '.lock'),
    objectAt: (objectKey: string): string => path.join(objects, objectKey.slice(0, 2), objectKey),
    /** Where nothing is yet. */
    aside: (mark = ''): string => path.join(temporary, `${mark}${randomUUID()}`),
    /** Others go through it to what they are told of, and list nothing. */
    async make(): Promise<void> {
      for (const folder of [root, views, objects, temporary]) {
        await fs.mkdir(folder, { recursive: true });
        await withoutListing(folder);
      }
    },
  };
}

export const isThere = async (file: string): Promise<boolean> =>
  (await fs.stat(file).catch(() => undefined)) !== undefined;

/** Files of the cache have this time: one that was written to has another. */
const sealedAt = new Date('2000-01-01T00:00:00Z');

export async function seal(file: string): Promise<void> {
  await fs.chmod(file, 0o444);
  await fs.utimes(file, sealedAt, sealedAt);
}

export async function isIntact(file: string, { size }: StoredObject): Promise<boolean> {
  const found = await fs.lstat(file).catch(() => undefined);
  return found?.isFile() === true && found.size === size && found.mtimeMs === sealedAt.getTime();
}

export const linked = (from: string, to: string): Promise<boolean> =>
  fs.link(from, to).then(
    () => true,
    () => false,
  );

export interface CachedFile {
  readonly inode: number;
  readonly bytes: number;
}

export async function filesBelow(folder: string): Promise<CachedFile[]> {
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
export function bytesOnDisk(views: readonly (readonly CachedFile[])[]) {
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

export const names = (folder: string): Promise<string[]> => fs.readdir(folder).catch(() => []);

/** Cells get the very files: what one of them wrote would be another's input. */
export async function withoutWriting(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) await withoutWriting(place);
    else await fs.chmod(place, 0o444);
  }
  await fs.chmod(folder, 0o555);
}

export async function removeTree(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) {
      await fs.chmod(path.join(folder, entry.name), 0o755).catch(() => {});
      await removeTree(path.join(folder, entry.name));
    }
  await fs.rm(folder, { recursive: true, force: true });
}
