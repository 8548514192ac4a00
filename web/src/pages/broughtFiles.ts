// What a person chose or dropped to import: one notebook, and files beside it.
import type { FileBeside } from '../filesBeside.ts';

/** Of a folder with more, the rest is not looked at. */
const maxFiles = 10_000;

export interface Brought {
  readonly notebook: File;
  readonly beside: readonly FileBeside[];
}

/** The notebook among them, or undefined where that is not clear. */
export function broughtOf(all: readonly FileBeside[]): Brought | undefined {
  const books = all.filter(({ path }) => /\.ipynb$/i.test(path));
  const [one, ...others] = books.length > 0 ? books : all;
  if (!one || (others.length > 0 && books.length !== 1)) return undefined;
  const folder = one.path.slice(0, one.path.lastIndexOf('/') + 1);
  const beside = all.filter((other) => other !== one && other.path.startsWith(folder));
  return { notebook: one.file, beside: beside.map(({ path, file }) => ({ path: path.slice(folder.length), file })) };
}

export const chosenFiles = (files: Iterable<File>): FileBeside[] =>
  Array.from(files, (file) => ({ path: file.name, file }));

/** Folders that were dropped are looked through; hidden files are left out. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<FileBeside[]> {
  const waiting = Array.from(items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (waiting.length === 0) return chosenFiles(files);
  const found: FileBeside[] = [];
  for (const entry of waiting) {
    if (found.length >= maxFiles) break;
    if (isFile(entry)) found.push({ path: entry.fullPath.slice(1), file: await fileOf(entry) });
    else if (isFolder(entry)) waiting.push(...(await entriesOf(entry)).filter(({ name }) => isLookedAt(name)));
  }
  return found;
}

const isLookedAt = (name: string): boolean => !name.startsWith('.') && !/^(node_modules|venv|__pycache__)$/.test(name);
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

/** A reader gives them in parts. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return all;
    all.push(...part);
  }
}
