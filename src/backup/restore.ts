// Puts a backup where nothing is yet. Everything is written beside its place, each byte held against its digest, and moved there
// when all of it is whole: a restore that was cut short has changed nothing.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Blobs } from '../artifacts/index.ts';
import { orTrouble } from '../errors/index.ts';
import { severalAtOnce, syncFolder } from '../files/index.ts';
import {
  BackupDamaged,
  type FolderCopy,
  type Manifest,
  manifestNames,
  type RowsCopy,
  readManifest,
} from './manifest.ts';
import { readObject } from './objects.ts';
import type { BackupPlace, Bytes, Watch } from './place.ts';

export interface RestorePlaces {
  readonly notebookDir: string;
  readonly artifactDir: string | null;
  /** Where the store's bytes go, when that is not a folder of it. */
  readonly objectStore: Blobs | null;
  readonly catalog: string;
}

export class PlaceTaken extends Error {
  override readonly name = 'PlaceTaken';
}

/** `at`: how the name of a backup begins; undefined for the newest. */
export async function findBackup(
  place: BackupPlace,
  at: string | undefined,
): Promise<{ name: string; manifest: Manifest }> {
  const names = await manifestNames(place);
  if (names.length === 0) throw new BackupDamaged(`There is no whole backup in ${place.name}.`);
  const fitting = at === undefined ? names.slice(-1) : names.filter((name) => name.startsWith(at));
  const [name] = fitting;
  if (name === undefined || fitting.length > 1)
    throw new BackupDamaged(
      `--at ${at}: ${fitting.length === 0 ? 'no' : 'more than one'} backup begins so; there are ${names.join(', ')}.`,
    );
  return { name, manifest: await readManifest(place, name) };
}

export const readBytes = async (place: BackupPlace, bytes: Bytes): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(readObject(place, bytes)));

export async function restoreBackup(
  place: BackupPlace,
  manifest: Manifest,
  places: RestorePlaces,
  watch: Watch,
): Promise<void> {
  await refuseTaken(manifest, places);
  const made: string[] = [];
  const beside = async (wanted: string): Promise<string> => {
    await fs.mkdir(path.dirname(wanted), { recursive: true });
    const folder = await fs.mkdtemp(`${wanted}.restoring-`);
    made.push(folder);
    return folder;
  };
  const write = createWriter(place, watch);
  try {
    const moves: { from: string; to: string }[] = [];
    if (manifest.folders.length > 0) {
      const folder = await beside(places.notebookDir);
      for (const one of manifest.folders) await writeFolder(path.join(folder, one.path), one, write);
      // Last: nothing is written through a link, of whichever folder, or into one that is closed.
      for (const one of manifest.folders) await closeFolder(path.join(folder, one.path), one);
      await fs.chmod(folder, 0o755);
      moves.push({ from: folder, to: places.notebookDir });
    }
    if (manifest.store && places.artifactDir !== null) {
      const folder = await beside(places.artifactDir);
      await writeRows(folder, manifest.store, write, places.objectStore);
      await fs.chmod(folder, 0o711);
      moves.push({ from: folder, to: places.artifactDir });
    }
    if (manifest.catalog) {
      const folder = await beside(places.catalog);
      await write(path.join(folder, 'catalog'), manifest.catalog, 0o600);
      moves.push({ from: path.join(folder, 'catalog'), to: places.catalog });
    }
    watch.signal.throwIfAborted();
    for (const { from, to } of moves) {
      await fs.rename(from, to);
      await syncFolder(path.dirname(to));
    }
  } finally {
    for (const folder of made) await fs.rm(folder, { recursive: true, force: true });
  }
}

async function refuseTaken(
  manifest: Manifest,
  { notebookDir, artifactDir, objectStore, catalog }: RestorePlaces,
): Promise<void> {
  const folders = [
    ...(manifest.folders.length > 0 ? [notebookDir] : []),
    ...(manifest.store && artifactDir !== null ? [artifactDir] : []),
  ];
  for (const folder of folders) {
    const there = await fs.readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    if (there.length > 0)
      throw new PlaceTaken(
        `${folder} is not empty, and nothing is written over; move it away, or name another folder.`,
      );
  }
  if (manifest.catalog && (await fs.lstat(catalog).catch(() => undefined)))
    throw new PlaceTaken(
      `${catalog} is there already, and nothing is written over; move it away, or set SVC_METADATA_DB.`,
    );
  if (manifest.store && artifactDir === null)
    throw new PlaceTaken(
      'the backup holds a store, and no place for one is set; give --artifact-dir, or set SVC_ARTIFACT_DIR.',
    );
  if (manifest.store && objectStore)
    for await (const names of objectStore.list(Number.POSITIVE_INFINITY))
      if (names.length > 0)
        throw new PlaceTaken(
          `the object store holds ${names[0]} already, and nothing is written over; set an empty bucket or prefix.`,
        );
}

type Write = (file: string, bytes: Bytes, mode: number) => Promise<void>;

function createWriter(place: BackupPlace, { signal, onProgress }: Watch): Write {
  return async (file, bytes, mode) => {
    signal.throwIfAborted();
    onProgress(file);
    await fs.mkdir(path.dirname(file), { recursive: true });
    const handle = await fs.open(file, 'wx', 0o600);
    try {
      for await (const piece of readObject(place, bytes)) {
        signal.throwIfAborted();
        await handle.writeFile(piece);
      }
      await handle.chmod(mode);
      await handle.sync();
    } catch (error) {
      throw orTrouble(error);
    } finally {
      await handle.close();
    }
  };
}

async function writeFolder(root: string, copy: FolderCopy, write: Write): Promise<void> {
  await fs.mkdir(root, { recursive: true });
  for (const { path: place } of copy.folders) await fs.mkdir(path.join(root, place), { recursive: true });
  await severalAtOnce(copy.files, async (file) => {
    const place = path.join(root, file.path);
    await write(place, file, file.mode);
    // Large files that cells read count by size and time.
    const seconds = Number(BigInt(file.modified) / 1000n) / 1e6;
    await fs.utimes(place, seconds, seconds);
  });
  if (copy.results) await writeRows(path.join(root, '.svc/artifacts'), copy.results, write, null);
}

async function closeFolder(root: string, copy: FolderCopy): Promise<void> {
  for (const { path: place, target } of copy.links) await fs.symlink(target, path.join(root, place));
  // Deepest first.
  for (const { path: place, mode } of copy.folders.toReversed()) await fs.chmod(path.join(root, place), mode);
}

async function writeRows(
  folder: string,
  { database, blobs }: RowsCopy,
  write: Write,
  objectStore: Blobs | null,
): Promise<void> {
  const place = path.join(folder, 'blobs');
  await fs.mkdir(place, { recursive: true });
  await fs.chmod(place, 0o711);
  await severalAtOnce(blobs, async (blob) => {
    // A file of its own name: object stores take names that no file system does.
    const file = path.join(place, objectStore ? createHash('sha256').update(blob.name).digest('hex') : blob.name);
    await write(file, blob, blob.mode);
    if (!objectStore) return;
    await objectStore.adopt([{ name: blob.name, file }]);
    await fs.rm(file, { force: true });
  });
  await write(path.join(folder, 'artifacts.sqlite'), database, 0o600);
}
