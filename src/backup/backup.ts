// Makes a backup: notebooks one after the other, then the store, so that whatever a notebook refers to there is in it; then
// the manifest, which makes all of it a backup.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Blobs } from '../artifacts/index.ts';
import { snapshotSqlite } from '../database/index.ts';
import { inTurn } from '../files/index.ts';
import { notebookFolders } from '../notebook/index.ts';
import { version } from '../version.ts';
import { copyFolder } from './copyFolder.ts';
import { type CopyTo, copyNamed, snapshotOf } from './copyRows.ts';
import {
  type Bytes,
  type FolderCopy,
  type Manifest,
  manifestNames,
  manifestsIn,
  printManifest,
  type RowsCopy,
  readManifest,
} from './manifest.ts';
import { type Objects, openObjects } from './objects.ts';

export interface BackupSource {
  readonly notebookDir: string;
  /** Null: without a store. */
  readonly store: { readonly database: string; readonly blobs: Pick<Blobs, 'open'> } | null;
  readonly catalog: string | null;
  readonly projectFile: string | null;
}

export interface Watch {
  readonly signal: AbortSignal;
  onProgress(text: string): void;
}

export interface Made {
  readonly name: string;
  readonly manifest: Manifest;
  /** Beside what lay there already. */
  readonly bytesWritten: number;
}

export class TargetUnusable extends Error {
  override readonly name = 'TargetUnusable';
}

const ours = new Set(['backups', 'objects', 'incoming', 'lock', 'lock-journal']);
const storeAttempts = 20;

export async function makeBackup(target: string, source: BackupSource, watch: Watch): Promise<Made> {
  await refuseForeign(target, source);
  for (const folder of [target, manifestsIn(target), path.join(target, 'objects')])
    await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const onWait = (): void => watch.onProgress('another backup is being made there; waiting for its end');
  const work = async (): Promise<Made> => {
    const objects = await openObjects(target);
    try {
      return await make(target, objects, source, watch);
    } finally {
      await objects.close();
    }
  };
  return inTurn(path.join(target, 'lock'), work, { signal: watch.signal, onWait });
}

async function refuseForeign(target: string, { notebookDir, store }: BackupSource): Promise<void> {
  const places = [notebookDir, ...(store ? [path.dirname(store.database)] : [])].map((place) => path.resolve(place));
  const inside = places.find((place) => `${path.resolve(target)}${path.sep}`.startsWith(`${place}${path.sep}`));
  if (inside !== undefined)
    throw new TargetUnusable(`${target} lies in ${inside}, which is to be copied; choose a folder elsewhere.`);
  const there = await fs.readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new TargetUnusable(`${target} cannot be used (${error.code}); choose a folder that you may write to.`);
  });
  const foreign = there.find((name) => !ours.has(name));
  if (foreign !== undefined)
    throw new TargetUnusable(`${target} holds ${foreign}, which is of no backup; choose an empty folder.`);
}

async function make(
  target: string,
  objects: Objects,
  source: BackupSource,
  { signal, onProgress }: Watch,
): Promise<Made> {
  const warnings: string[] = [];
  const to: CopyTo = { objects, signal, warn: (text) => warnings.push(text), onBytes: onProgress };
  const before = await lastManifest(target);
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
  await objects.conclude(path.join(manifestsIn(target), name), text);
  return { name, manifest, bytesWritten: objects.written() };
}

async function lastManifest(target: string): Promise<Manifest | undefined> {
  const last = (await manifestNames(target)).at(-1);
  // One that cannot be read costs reading every file again.
  return last === undefined ? undefined : readManifest(target, last).catch(() => undefined);
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
  const snapshot = objects.place();
  await snapshotSqlite(file, snapshot);
  const copy = await objects.put(createReadStream(snapshot), signal);
  await fs.rm(snapshot);
  return copy;
}
