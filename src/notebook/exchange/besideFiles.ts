// What lies beside a notebook's file on this machine: looked at, and brought along. Nothing outside of its folder, nothing behind a
// link, nothing hidden.
import type { Dirent } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { listNames } from '../../environments/index.ts';
import { readOwnFile } from '../../files/index.ts';
import { isOffered, openBelow, writeFile } from '../files/index.ts';
import type { Beside } from './importForeign.ts';

/** A folder with more is no notebook's own: of the rest nothing is offered. */
const maxFiles = 10_000;
const deepest = 8;
/** What people write by hand is shorter. */
const maxModuleBytes = 256 * 1024;

/** Where others keep packages; a folder of a notebook of ours is known by its file. */
const isLookedInto = ({ name }: Dirent): boolean =>
  isOffered(name) && !/^(node_modules|venv|env|site-packages)$/.test(name);
const notebookFile = 'notebook.toml';

export async function filesBeside(file: string): Promise<Beside> {
  const folder = path.dirname(file);
  const files: { path: string; size: number; text?: string | undefined }[] = [];
  const inside = [''];
  for (const place of inside) {
    const entries = await fs.readdir(path.join(folder, place), { withFileTypes: true }).catch(() => []);
    if (place !== '' && entries.some(({ name }) => name === notebookFile)) continue;
    for (const entry of entries.filter(isLookedInto).sort(byName)) {
      const name = place === '' ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory() && name.split('/').length < deepest) inside.push(name);
      else if (entry.isFile() && name !== path.basename(file))
        files.push({ path: name, size: await sizeOf(folder, name), text: await textOf(folder, name) });
      if (files.length >= maxFiles) return { files, lists: await listsIn(folder) };
    }
  }
  return { files, lists: await listsIn(folder) };
}

const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);

const sizeOf = async (folder: string, name: string): Promise<number> =>
  (await fs.lstat(path.join(folder, name)).catch(() => undefined))?.size ?? 0;

/** Of a module; others are not opened before somebody wants them. */
async function textOf(folder: string, name: string): Promise<string | undefined> {
  if (!name.endsWith('.py') || (await sizeOf(folder, name)) > maxModuleBytes) return undefined;
  const bytes = await readOwnFile(path.join(folder, name)).catch(() => undefined);
  return bytes === undefined ? undefined : String(bytes);
}

async function listsIn(folder: string): Promise<Beside['lists']> {
  const read = listNames.map(async (name) => {
    const bytes = await readOwnFile(path.join(folder, name)).catch(() => undefined);
    return bytes === undefined ? [] : [{ name, text: String(bytes) }];
  });
  return (await Promise.all(read)).flat();
}

/** Copies files into the folder that cells run in; gives those that could not be, with the reason. */
export async function bringFiles(
  from: string,
  paths: readonly string[],
  directory: string,
): Promise<{ path: string; reason: string }[]> {
  const left: { path: string; reason: string }[] = [];
  for (const place of paths)
    try {
      const { body } = await openBelow(from, place);
      await writeFile(directory, place, body, {
        overwrite: false,
        parents: true,
        maxBytes: Infinity,
        assertFree() {},
        lastly: (work) => work(),
      });
    } catch (error) {
      left.push({ path: place, reason: error instanceof Error ? error.message : String(error) });
    }
  return left;
}
