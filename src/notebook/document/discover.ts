// Finds the notebooks below a folder: directories that hold a `notebook.toml`. Links are never followed, so nothing
// outside the folder can appear, and the walk comes to an end.
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { readPlainFile } from '../../files/index.ts';
import { errorCode } from '../storage/index.ts';
import { notebookFileName } from './notebook.ts';
import { printTime } from './save.ts';

export interface FoundNotebook {
  readonly path: string;
  readonly name: string | null;
  readonly notebook_id: string;
  readonly updated_at: string | null;
}

const skipped = new Set(['node_modules', '__pycache__', 'venv', 'dist', 'build', 'target']);

/** Whether notebooks are looked for in folders of this name. */
export const isSearched = (name: string): boolean => !name.startsWith('.') && !skipped.has(name);

/** Newest first; notebooks without a time come last, by path. */
export async function discoverNotebooks(root: string): Promise<FoundNotebook[]> {
  const found: FoundNotebook[] = [];
  await walk(root, found);
  return found.sort((a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? '') || a.path.localeCompare(b.path));
}

async function walk(folder: string, found: FoundNotebook[]): Promise<void> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isDirectory() || !isSearched(entry.name)) continue;
    const place = path.join(folder, entry.name);
    const notebook = await peek(place);
    if (notebook === 'none') await walk(place, found);
    else if (typeof notebook === 'object') found.push(notebook);
  }
}

/** A folder with a file that cannot be read as a notebook is neither listed nor entered. */
async function peek(folder: string): Promise<FoundNotebook | 'none' | 'unreadable'> {
  const file = path.join(folder, notebookFileName);
  try {
    const text = String(await readPlainFile(file));
    const { notebook_id: id, name, updated_at: updated } = parse(text, { useLegacyDate: false });
    if (typeof id !== 'string') return 'unreadable';
    return {
      path: folder,
      name: typeof name === 'string' && name.trim() !== '' ? name : null,
      notebook_id: id,
      updated_at: updated instanceof Temporal.ZonedDateTime ? printTime(updated.toInstant()) : null,
    };
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'none' : 'unreadable';
  }
}

/** Every folder below `root` that holds a notebook file, also where nobody can read it, by path. */
export async function notebookFolders(root: string): Promise<string[]> {
  const entries = await fs.readdir(root, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === notebookFileName)) return [root];
  const below = entries
    .filter((entry) => entry.isDirectory() && isSearched(entry.name))
    .map(({ name }) => notebookFolders(path.join(root, name)));
  return (await Promise.all(below)).flat().sort();
}

/** Folders below `root` that look like notebooks but for their file, which is gone. */
export async function foldersWithoutFile(root: string): Promise<string[]> {
  const entries = await fs.readdir(root, { withFileTypes: true }).catch(() => []);
  const names = new Set(entries.map(({ name }) => name));
  if (names.has(notebookFileName)) return [];
  if (names.has('cells') && names.has('.svc')) return [root];
  const below = entries
    .filter((entry) => entry.isDirectory() && isSearched(entry.name))
    .map(({ name }) => foldersWithoutFile(path.join(root, name)));
  return (await Promise.all(below)).flat().sort();
}
