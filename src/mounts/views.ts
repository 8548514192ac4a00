// A view: a folder of links to the objects that a mount held at one time, made aside and renamed into place.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { StoredObject } from '../objectStores/index.ts';
import {
  type CachePlaces,
  goneMark,
  isIntact,
  isThere,
  linked,
  removeTree,
  seal,
  withoutWriting,
} from './cacheFiles.ts';

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

export interface Views {
  /** Whether the view holds what was fetched for it, and nothing else. */
  isAsFetched(request: ViewRequest): Promise<boolean>;
  make(request: ViewRequest): Promise<void>;
  /** Takes a view away from where it is found, and gives where it is then. */
  moveOut(key: string): Promise<string>;
}

const atOnce = 8;

export function createViews(places: CachePlaces): Views {
  let foldersMade: Promise<void> | undefined;

  async function isAsFetched({ key, files }: ViewRequest): Promise<boolean> {
    if (!(await isThere(places.lockOf(key)))) return false;
    const entries = await fs.readdir(places.dataOf(key), { recursive: true, withFileTypes: true }).catch(() => []);
    const found = entries.filter((entry) => !entry.isDirectory());
    if (found.length !== files.length) return false;
    const whole = await Promise.all(
      files.map(({ path: at, object }) => isIntact(path.join(places.dataOf(key), at), object)),
    );
    return whole.every(Boolean);
  }

  async function bring(file: ViewFile, target: string, fetch: ViewRequest['fetch']): Promise<void> {
    await fs.mkdir(path.dirname(target), { recursive: true });
    if (file.objectKey === null) {
      await fetch(file.object, target);
      return seal(target);
    }
    const kept = places.objectAt(file.objectKey);
    // A sweep may take an object that nothing links to: then it is fetched again.
    if ((await isIntact(kept, file.object)) && (await linked(kept, target))) return;
    const part = places.aside();
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

  /** The first that fails ends it for all: nothing is left in the queue, and nobody writes any more. */
  async function bringAll(files: readonly ViewFile[], data: string, fetch: ViewRequest['fetch']): Promise<void> {
    const waiting = [...files];
    const workers = Array.from({ length: atOnce }, async () => {
      for (let file = waiting.pop(); file; file = waiting.pop())
        await bring(file, path.join(data, file.path), fetch).catch((error: unknown) => {
          waiting.length = 0;
          throw error;
        });
    });
    for (const done of await Promise.allSettled(workers)) if (done.status === 'rejected') throw done.reason;
  }

  async function make({ key, files, fetch }: ViewRequest): Promise<void> {
    foldersMade ??= places.make();
    await foldersMade;
    const aside = places.aside();
    const data = path.join(aside, 'data');
    await fs.mkdir(data, { recursive: true });
    try {
      await bringAll(files, data, fetch);
      await fs.writeFile(path.join(aside, '.lock'), '');
      await withoutWriting(data);
      // One that was changed makes room.
      const changed = await moveOut(key);
      await fs.rename(aside, places.viewOf(key));
      await removeTree(changed);
    } catch (error) {
      await removeTree(aside);
      // Unless somebody else made the very same view meanwhile.
      if (!(await isAsFetched({ key, files, fetch }))) throw error;
    }
  }

  async function moveOut(key: string): Promise<string> {
    const gone = places.aside(goneMark);
    await fs.rename(places.viewOf(key), gone).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return gone;
  }

  return { isAsFetched, make, moveOut };
}
