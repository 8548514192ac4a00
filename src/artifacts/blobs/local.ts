// Bytes of artifacts as files of one folder.
import { constants, createReadStream } from 'node:fs';
import { access, lchown, lstat, mkdir, open, opendir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { readWithoutWaiting, withoutListing } from '../../files/index.ts';
import type { Blobs } from './blobs.ts';

export interface LocalBlobs extends Blobs {
  pathOf(name: string): string;
  /** Moves a file in whose bytes are durable elsewhere: a power cut may lose it. */
  place(name: string, file: string): Promise<void>;
}

const sliceLength = 500;
/** What a cell of another user wrote is its own until it is stored: nobody changes it afterwards. */
const isRoot = process.getuid?.() === 0;

export async function openLocalBlobs(folder: string): Promise<LocalBlobs> {
  await mkdir(folder, { recursive: true });
  // Whoever is told of a file reads it; nobody else lists them.
  await withoutListing(folder);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const names = await open(folder, 'r');
  const pathOf = (name: string): string => path.join(folder, name);
  return {
    pathOf,
    async adopt(files) {
      await Promise.all(files.map(({ file }) => syncFile(file)));
      await Promise.all(files.map(({ name, file }) => rename(file, pathOf(name))));
      if (files.length > 0) await names.sync();
    },
    async place(name, file) {
      if (isRoot) await lchown(file, 0, 0);
      await rename(file, pathOf(name));
    },
    ...readLocalBlobs(folder),
    remove: (name) => rm(pathOf(name), { recursive: true, force: true }),
    close: () => names.close(),
  };
}

/** To look into a folder of bytes without making or changing anything. */
export function readLocalBlobs(folder: string): Pick<Blobs, 'open' | 'list'> {
  const pathOf = (name: string): string => path.join(folder, name);
  return {
    async open(name) {
      const file = pathOf(name);
      const found = await lstat(file).catch(absent);
      return found?.isFile() ? { byteSize: found.size, file, read: async () => createReadStream(file) } : undefined;
    },
    async *list(before) {
      let slice: string[] = [];
      for await (const { name } of await opendir(folder, { bufferSize: sliceLength })) {
        const found = await lstat(pathOf(name)).catch(absent);
        if (found && found.mtimeMs / 1000 < before) slice.push(name);
        if (slice.length === sliceLength) {
          yield slice;
          slice = [];
        }
      }
      yield slice;
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}

async function syncFile(file: string): Promise<void> {
  // A link would have the store serve what its maker could not read.
  const handle = await open(file, readWithoutWaiting | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile())
      throw new Error(`${path.basename(file)} is not the plain file that was written`);
    if (isRoot) await handle.chown(0, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
