// Makes a backup: notebooks one after the other, then the store, so that whatever a notebook refers to there is in it; then
// the manifest, which makes all of it a backup.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Blobs } from '../artifacts/index.ts';
import { snapshotSqlite } from '../database/index.ts';
import { notebookFolders } from '../notebook/index.ts';
import { version } from '../version.ts';
import { copyFolder } from './copyFolder.ts';
import { type CopyTo, copyNamed, snapshotOf } from './copyRows.ts';
import {
  type FolderCopy,
  type Manifest,
  manifestNames,
  printManifest,
  type RowsCopy,
  readManifest,
} from './manifest.ts';
import { addObjects } from './objects.ts';
import type { Additions, BackupPlace, Bytes, Watch } from './place.ts';

export interface BackupSource {
  /** Folders and addresses that are copied: no backup may lie in one. */
  readonly places: readonly string[];
  readonly notebookDir: string;
  /** Null: without a store. */
  readonly store: { readonly database: string; readonly blobs: Pick<Blobs, 'open'> } | null;
  readonly catalog: string | null;
  readonly projectFile: string | null;
}

export interface Made {
  readonly name: string;
  readonly manifest: Manifest;
  /** Beside what lay there already. */
  readonly bytesWritten: number;
}

const storeAttempts = 20;

export const makeBackup = (place: BackupPlace, source: BackupSource, watch: Watch): Promise<Made> =>
  place.write(source.places, watch, (into) => make(place, into, source, watch));

async function make(
  place: BackupPlace,
  into: Additions,
  source: BackupSource,
  { signal, onProgress }: Watch,
): Promise<Made> {
  const warnings: string[] = [];
  const objects = addObjects(into);
  const to: CopyTo = { objects, signal, warn: (text) => warnings.push(text), onBytes: onProgress };
  const before = await lastManifest(place);
  const manifest: Manifest = {
    format: 1,
    made_at: new Date().toISOString(),
    made_by: version,
    folders: await copyFolders(source.notebookDir, before, to),
    store: source.store && (await copyStore(source.store, to)),
    catalog: source.catalog === null ? null : await copyDatabase(source.catalog, to),
    settings: source.projectFile === null ? null : await objects.put(createReadStream(source.projectFile), signal),
    warnings,
  };
  const { name, text } = printManifest(manifest);
  signal.throwIfAborted();
  await into.conclude(name, text);
  return { name, manifest, bytesWritten: objects.written() };
}

async function lastManifest(place: BackupPlace): Promise<Manifest | undefined> {
  const last = (await manifestNames(place)).at(-1);
  // One that cannot be read costs reading every file again.
  return last === undefined ? undefined : readManifest(place, last).catch(() => undefined);
}

async function copyFolders(root: string, last: Manifest | undefined, to: CopyTo): Promise<FolderCopy[]> {
  if (!(await fs.stat(root).catch(() => undefined))) return [];
  const before = new Map(last?.folders.map((folder) => [folder.path, folder]));
  const copies = [await copyFolder({ root, path: '', isNotebook: false, before: before.get('') }, to)];
  for (const folder of await notebookFolders(root)) {
    const place = path.relative(root, folder).split(path.sep).join('/');
    const copy = await copyFolder({ root: folder, path: place, isNotebook: true, before: before.get(place) }, to);
    // One that was deleted meanwhile is none.
    if (copy.files.length > 0) copies.push(copy);
  }
  return copies;
}

async function copyStore(store: NonNullable<BackupSource['store']>, to: CopyTo): Promise<RowsCopy> {
  const source = { ...store, what: 'store' };
  for (let attempt = 0; attempt < storeAttempts; attempt += 1) {
    const copy = await copyNamed(source, await snapshotOf(source, to), to);
    if (copy) return copy;
  }
  throw new Error(
    'The store is collected all the time and cannot be copied as at one moment; back up again when no sweep runs.',
  );
}

async function copyDatabase(file: string, { objects, signal }: CopyTo): Promise<Bytes> {
  const snapshot = objects.scratch();
  await snapshotSqlite(file, snapshot);
  const copy = await objects.put(createReadStream(snapshot), signal);
  await fs.rm(snapshot);
  return copy;
}
