// What lies in the folder that cells run in: looked at, read and removed.
import { constants, type Dirent, type Stats } from 'node:fs';
import fs from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Refusal, refusals } from '../../errors/index.ts';
import { readWithoutWaiting, syncFolder } from '../../files/index.ts';
import type { FileEntry, FilesBody } from '../../protocol/index.ts';
import { errorCode } from '../storage/index.ts';
import { inFolder, isOffered, namesOf, type OpenFolder, walk } from './folder.ts';

/** More than anyone looks through; cells list larger folders themselves. */
const maxEntries = 1000;

/** At a time, when a file is read. */
const readBytes = 256 * 1024;

const byName = new Intl.Collator('en', { numeric: true });

/** One level; links and what is neither a file nor a folder are left out. */
export async function listFiles(directory: string, place: string): Promise<FilesBody> {
  const names = place === '' ? [] : namesOf(place);
  const nothing = { path: place, entries: [], total: 0 };
  return inFolder(directory, names, async (folder) => {
    const found = (await fs.readdir(folder.at('.'), { withFileTypes: true }))
      .filter((one) => isOffered(one.name) && (one.isFile() || one.isDirectory()))
      .sort(foldersFirst);
    const looks = found.slice(0, maxEntries).map(({ name }) => entryIn(folder, [...names, name]));
    const entries = (await Promise.all(looks)).filter((entry) => entry !== undefined);
    return { path: place, entries, total: found.length };
  }).catch((error: unknown) => {
    // The folder is made for the first cell or the first file.
    if (place === '' && error instanceof Refusal && error.kind === 'not_found') return nothing;
    throw error;
  });
}

const foldersFirst = (a: Dirent, b: Dirent): number =>
  Number(b.isDirectory()) - Number(a.isDirectory()) || byName.compare(a.name, b.name);

/** Undefined of what is gone meanwhile. */
async function entryIn(folder: OpenFolder, names: readonly string[]): Promise<FileEntry | undefined> {
  const found = await fs.lstat(folder.at(names.at(-1) ?? '')).catch(() => undefined);
  return found && entryOf(names, found);
}

export const entryOf = (names: readonly string[], found: Stats): FileEntry => ({
  name: names.at(-1) ?? '',
  path: names.join('/'),
  kind: found.isDirectory() ? 'folder' : 'file',
  bytes: found.isDirectory() ? null : found.size,
  modified_at: found.mtimeMs / 1000,
});

export interface OpenedFile {
  readonly name: string;
  readonly bytes: number;
  /** As many bytes as there were; closes the file when it ends or is destroyed. */
  readonly body: Readable;
}

export async function openFile(directory: string, place: string): Promise<OpenedFile> {
  const names = namesOf(place);
  return inFolder(directory, names.slice(0, -1), (folder) => openIn(folder, names));
}

/** The same for a file below any other folder. */
export async function openBelow(start: string, place: string): Promise<OpenedFile> {
  const names = namesOf(place);
  const folder = await walk(start, names.slice(0, -1));
  return openIn(folder, names).finally(() => folder.handle.close());
}

async function openIn(folder: OpenFolder, names: readonly string[]): Promise<OpenedFile> {
  const name = names.at(-1) ?? '';
  const place = names.join('/');
  const handle = await fs.open(folder.at(name), readWithoutWaiting | constants.O_NOFOLLOW).catch(told(place));
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw refusals.notAFile(place);
    const { size } = found;
    if (size > 0)
      return {
        name,
        bytes: size,
        body: handle.createReadStream({ start: 0, end: size - 1, highWaterMark: readBytes }),
      };
    await handle.close();
    return { name, bytes: 0, body: Readable.from([]) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Plain files only. */
export async function removeFile(directory: string, place: string): Promise<void> {
  const names = namesOf(place);
  const name = names.at(-1) ?? '';
  await inFolder(directory, names.slice(0, -1), async (folder) => {
    const found = await fs.lstat(folder.at(name)).catch(told(place));
    if (!found.isFile()) throw refusals.notAFile(place);
    // A link that takes its place now is removed itself, not what it leads to.
    await fs.unlink(folder.at(name)).catch(told(place));
    await syncFolder(folder.at('.'));
  });
}

/** What is not there, or no file, in words. */
const told =
  (place: string) =>
  (error: unknown): never => {
    const code = errorCode(error);
    if (code === 'ENOENT') throw refusals.fileMissing(place);
    throw code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR' ? refusals.notAFile(place) : error;
  };
