// The folder that cells run in, and those below it. Cells can put links anywhere in it at any moment, so a path is walked one
// name at a time, no link is followed, and what was opened stays what is used: nothing leads out.
import { constants } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { storageRefusal } from '../document/index.ts';
import { errorCode, unlessThere } from '../storage/index.ts';

export const workFolderName = 'work';

/** In bytes, and the longest that common file systems take. */
const maxNameBytes = 255;
const maxPathBytes = 3072;
const label = 'file path';

/** Hidden files and what Python keeps for itself are not offered. */
export const isOffered = (name: string): boolean => !name.startsWith('.') && name !== '__pycache__';

/** The names on the way to a file or folder. Refuses whatever could lead out or stand for something of ours. */
export function namesOf(place: string): readonly string[] {
  if (place.includes('\0')) throw refusals.pathUnusable(label, 'a path cannot hold a NUL byte');
  if (!place.isWellFormed()) throw refusals.textNotUnicode(label);
  if (Buffer.byteLength(place) > maxPathBytes) throw refusals.pathUnusable(label, 'it is too long');
  const names = place.split('/');
  for (const name of names) {
    if (name === '..') throw refusals.pathTraversal(label);
    if (name === '') throw refusals.pathUnusable(label, 'name a file below the folder that cells run in');
    if (Buffer.byteLength(name) > maxNameBytes) throw refusals.pathUnusable(label, 'a name in it is too long');
    if (!isOffered(name)) throw refusals.pathUnusable(label, 'hidden files and __pycache__ are not offered here');
  }
  return names;
}

export interface OpenFolder {
  readonly handle: FileHandle;
  /** The path of something in it, good while the folder is open. */
  at(name: string): string;
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Does something in a folder below the one that cells run in. `makes`: whether that one, or all on the way, are made if they are not there. */
export async function inFolder<Result>(
  directory: string,
  names: readonly string[],
  work: (folder: OpenFolder) => Promise<Result>,
  makes: 'nothing' | 'first' | 'all' = 'nothing',
): Promise<Result> {
  try {
    if (makes !== 'nothing') await fs.mkdir(path.join(directory, workFolderName)).catch(unlessThere);
    const folder = await walk(path.join(directory, workFolderName), names, makes === 'all');
    try {
      return await work(folder);
    } finally {
      await folder.handle.close();
    }
  } catch (error) {
    throw storageRefusal(error);
  }
}

/** A folder below another one, open. */
export async function walk(start: string, names: readonly string[], makes = false): Promise<OpenFolder> {
  let folder = await open(start, path.basename(start));
  for (const [index, name] of names.entries()) {
    const { handle, at } = folder;
    const next = async (): Promise<OpenFolder> => {
      const isMade = makes && (await fs.mkdir(at(name)).then(() => true, unlessThere)) === true;
      const below = await open(at(name), names.slice(0, index + 1).join('/'));
      if (isMade) await giveToOwnerOf(handle, below.handle);
      return below;
    };
    folder = await next().finally(() => handle.close());
  }
  return folder;
}

/** Cells may run as another user, whose folder it is. */
export async function giveToOwnerOf(folder: FileHandle, made: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await folder.stat();
  await made.chown(uid, gid);
}

async function open(place: string, shown: string): Promise<OpenFolder> {
  const handle = await fs.open(place, asFolder).catch((error: unknown) => {
    const code = errorCode(error);
    if (code === 'ENOENT') throw refusals.folderMissing(shown);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw refusals.notAFolder(shown);
    throw error;
  });
  // Linux names what is open; elsewhere the path has to do, whose links were looked at a moment ago.
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : place;
  return { handle, at: (name) => `${base}/${name}` };
}
