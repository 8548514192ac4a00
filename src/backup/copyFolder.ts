// A folder as at one moment. Files are read while others may write: what lay there before and after is compared, and what
// changed meanwhile is read again, until nothing did. The results of a notebook are taken in between.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLocalBlobs } from '../artifacts/index.ts';
import { resultsFileOf } from '../notebook/index.ts';
import { type CopyTo, copyNamed, type RowsSource, snapshotOf } from './copyRows.ts';
import { type Entry, listFolder, readAsListed } from './listing.ts';
import type { FileCopy, FolderCopy } from './manifest.ts';

export interface FolderSource {
  readonly root: string;
  /** Below the folder of all notebooks. */
  readonly path: string;
  readonly isNotebook: boolean;
  /** As the last backup has it: files that are the same are not read. */
  readonly before: FolderCopy | undefined;
}

const attempts = 100;
const longestPauseMilliseconds = 500;

export async function copyFolder(source: FolderSource, to: CopyTo): Promise<FolderCopy> {
  const known = new Map((source.before?.files ?? []).map((file) => [`${file.path} ${file.identity}`, file]));
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    to.signal.throwIfAborted();
    const copy = await copyOnce(source, known, to, attempt === attempts);
    if (copy) return copy;
    await pause(Math.min(10 * attempt, longestPauseMilliseconds), undefined, { signal: to.signal });
  }
  throw new Error(
    `${source.root} is changed without a pause and cannot be copied as at one moment; hold it still meanwhile (POST /v1/projects/{path}/quiesce), or let its runs end, and back up again.`,
  );
}

async function copyOnce(
  source: FolderSource,
  known: Map<string, FileCopy>,
  to: CopyTo,
  isLast: boolean,
): Promise<FolderCopy | undefined> {
  const { root, isNotebook } = source;
  const entries = await listFolder(root, isNotebook);
  const files: FileCopy[] = [];
  for (const entry of entries.filter(({ kind }) => kind === 'file')) {
    to.signal.throwIfAborted();
    to.onBytes(path.join(source.path, entry.path));
    const file = await copyFile(root, entry, known, to);
    if (file) files.push(file);
  }
  const rows = await resultsOf(source);
  const snapshot = rows && (await snapshotOf(rows, to));
  const changed = difference(entries, await listFolder(root, isNotebook));
  const isData = changed.every((place) => !isOfDocument(place));
  const isOneMoment = changed.length === 0 || (isLast && isData);
  const results = isOneMoment && rows && snapshot ? await copyNamed(rows, snapshot, to) : null;
  if (snapshot) await fs.rm(snapshot, { force: true });
  if (!isOneMoment || results === undefined) return undefined;
  for (const place of changed) to.warn(`${path.join(source.path, place)} was written while it was copied`);
  for (const { path: place, target: why } of entries.filter(({ kind }) => kind === 'odd'))
    to.warn(`${path.join(source.path, place)} is not in the backup: ${why}`);
  return {
    path: source.path,
    isNotebook,
    files,
    folders: entries.filter(({ kind }) => kind === 'folder').map(({ path: place, mode }) => ({ path: place, mode })),
    links: entries.filter(({ kind }) => kind === 'link').map(({ path: place, target }) => ({ path: place, target })),
    results,
  };
}

/** Data that a cell writes all the time may be of several moments; what makes the notebook may not. */
const isOfDocument = (place: string): boolean =>
  /^(notebook\.toml|pyproject\.toml|uv\.lock|renv\.lock|cells\/.*|\.svc\/.*)$/.test(place);

async function copyFile(
  root: string,
  entry: Entry,
  known: Map<string, FileCopy>,
  { objects, signal }: CopyTo,
): Promise<FileCopy | undefined> {
  const { path: place, identity, mode, modified } = entry;
  const key = `${place} ${identity}`;
  const before = known.get(key);
  if (before && (await objects.has(before))) return { ...before, mode };
  try {
    const handle = await fs.open(path.join(root, place), readAsListed);
    try {
      const bytes = await objects.put(createReadStream('', { fd: handle, autoClose: false }), signal);
      const file = { path: place, identity, mode, modified, ...bytes };
      known.set(key, file);
      return file;
    } finally {
      await handle.close();
    }
  } catch (error) {
    // It is gone or something else now, which the comparison tells.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP'))
      return undefined;
    throw error;
  }
}

async function resultsOf({ root, path: place, isNotebook }: FolderSource): Promise<RowsSource | undefined> {
  const database = resultsFileOf(root);
  if (!isNotebook || !(await fs.stat(database).catch(() => undefined))) return undefined;
  return { what: place, database, blobs: readLocalBlobs(path.join(path.dirname(database), 'blobs')) };
}

/** Paths of what is not the same in both. */
function difference(before: readonly Entry[], after: readonly Entry[]): string[] {
  const [was, is] = [before, after].map((list) => new Map(list.map((entry) => [entry.path, entry.identity])));
  const places = new Set([...before, ...after].map((entry) => entry.path));
  return [...places].filter((place) => was?.get(place) !== is?.get(place));
}
