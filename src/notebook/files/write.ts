// A file that comes from outside: written beside its place as it arrives, on disk before it gets its name, and gone without a
// trace when it does not arrive whole.
import { randomBytes } from 'node:crypto';
import fs, { type FileHandle } from 'node:fs/promises';
import { refusals } from '../../errors/index.ts';
import { syncFolder } from '../../files/index.ts';
import type { FileEntry } from '../../protocol/index.ts';
import { errorCode, refuseUnseen } from '../storage/index.ts';
import { entryOf } from './files.ts';
import { giveToOwnerOf, inFolder, namesOf, type OpenFolder } from './folder.ts';

export interface WriteOptions {
  /** Whether a file of this name is replaced. */
  readonly overwrite: boolean;
  /** Whether folders on the way to it are made. */
  readonly parents?: boolean;
  readonly maxBytes: number;
  /** Throws when the notebook may not be written to now; asked again and again, for a large file takes long. */
  readonly assertFree: () => void;
  /** Does the last step, by which the file gets its name. */
  readonly lastly: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Folders that are made on the way to a file. */
const deepest = 64;

/** A server that was killed leaves such files behind; no request takes as long as this to arrive. */
const abandonedMilliseconds = 2 * 3_600_000;
const isTemporary = (name: string): boolean => /^\.upload\.[0-9a-f]{32}\.tmp$/.test(name);

export async function writeFile(
  directory: string,
  place: string,
  content: AsyncIterable<Uint8Array>,
  options: WriteOptions,
): Promise<FileEntry> {
  const names = namesOf(place);
  const name = names.at(-1) ?? '';
  refuseUnseen('file path', place);
  if (options.parents && names.length > deepest)
    throw refusals.pathUnusable('file path', `it lies deeper than ${deepest} folders; make them in a cell`);
  options.assertFree();
  return inFolder(
    directory,
    names.slice(0, -1),
    async (folder) => {
      const mode = await modeOf(folder, name, place, options);
      await removeAbandoned(folder);
      const temporary = folder.at(`.upload.${randomBytes(16).toString('hex')}.tmp`);
      const handle = await fs.open(temporary, 'wx');
      try {
        await handle.writeFile(within(content, options));
        if (mode !== undefined) await handle.chmod(mode);
        await giveToOwnerOf(folder.handle, handle);
        await handle.sync();
        return await options.lastly(async () => {
          const entry = entryOf(names, await handle.stat());
          await publish(temporary, folder.at(name), place, options);
          await syncFolder(folder.at('.'));
          return entry;
        });
      } finally {
        await leave(handle, temporary);
      }
    },
    options.parents ? 'all' : 'first',
  );
}

/** That of the file which is replaced. Whatever else stands there is refused before anything is written. */
async function modeOf(
  folder: OpenFolder,
  name: string,
  place: string,
  { overwrite }: WriteOptions,
): Promise<number | undefined> {
  const found = await fs.lstat(folder.at(name)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (found && !found.isFile()) throw refusals.notAFile(place);
  if (found && !overwrite) throw refusals.fileExists(place);
  return found && found.mode & 0o777;
}

async function* within(
  content: AsyncIterable<Uint8Array>,
  { maxBytes, assertFree }: WriteOptions,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > maxBytes) throw refusals.uploadTooLarge(maxBytes);
    assertFree();
    yield piece;
  }
}

/** A name that somebody else took meanwhile is theirs, unless it may be replaced. */
async function publish(temporary: string, target: string, place: string, { overwrite }: WriteOptions): Promise<void> {
  if (overwrite) return fs.rename(temporary, target);
  await fs.link(temporary, target).catch((error: unknown) => {
    throw errorCode(error) === 'EEXIST' ? refusals.fileExists(place) : error;
  });
}

async function leave(handle: FileHandle, temporary: string): Promise<void> {
  await handle.close();
  await fs.rm(temporary, { force: true });
}

async function removeAbandoned(folder: OpenFolder): Promise<void> {
  const left = (await fs.readdir(folder.at('.'))).filter(isTemporary);
  for (const name of left) {
    const found = await fs.lstat(folder.at(name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > abandonedMilliseconds) await fs.rm(folder.at(name), { force: true });
  }
}
