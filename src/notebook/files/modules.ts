// Modules of Python that lie in the folder that cells run in, with all that they import from there in turn. What is not a plain
// file, or no text, is no module.
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { readWithoutWaiting } from '../../files/index.ts';
import { type FileIdentity, importedModules, rootOf } from '../../runtimes/index.ts';
import { listFiles } from './files.ts';
import { inFolder, isOffered, workFolderName } from './folder.ts';

export interface LocalModule {
  /** Below the folder that cells run in, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly identity: FileIdentity;
}

/** More is a package, to be installed as one. */
export class ModulesTooLarge extends Error {}

const maxModules = 500;
const maxBytes = 4 * 1024 * 1024;

/** `imports`: names of modules as a source has them; `files`: modules by their path. */
export async function localModules(
  directory: string,
  { imports, files }: { readonly imports: Iterable<string>; readonly files: Iterable<string> },
): Promise<readonly LocalModule[]> {
  const found = new Map<string, LocalModule>();
  const looked = new Set<string>();
  let bytes = 0;

  async function take(place: string): Promise<void> {
    if (found.has(place)) return;
    const module = await readModule(directory, place);
    if (!module) return;
    found.set(place, module);
    bytes += module.identity.size;
    if (found.size > maxModules || bytes > maxBytes) throw new ModulesTooLarge();
    for (const name of importedModules(module.text)) await follow(rootOf(name));
  }

  /** A package is taken whole: its modules import each other by names that say less. */
  async function takeFolder(place: string): Promise<void> {
    const { entries } = await listFiles(directory, place).catch(() => ({ entries: [] }));
    for (const { path, kind } of entries) {
      if (kind === 'folder') await takeFolder(path);
      else if (path.endsWith('.py')) await take(path);
    }
  }

  async function follow(name: string): Promise<void> {
    if (looked.has(name) || !isOffered(name)) return;
    looked.add(name);
    await take(`${name}.py`);
    await takeFolder(name);
  }

  for (const name of imports) await follow(rootOf(name));
  for (const file of files) {
    const [name = ''] = file.split('/');
    await (name === file ? take(file) : follow(name));
  }
  return [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function readModule(directory: string, place: string): Promise<LocalModule | undefined> {
  const names = place.split('/');
  try {
    return await inFolder(directory, names.slice(0, -1), async (folder) => {
      const handle = await fs.open(folder.at(names.at(-1) ?? ''), readWithoutWaiting | constants.O_NOFOLLOW);
      try {
        const found = await handle.stat({ bigint: true });
        const { size, mtimeNs, ino } = found;
        if (!found.isFile()) return undefined;
        if (size > maxBytes) throw new ModulesTooLarge();
        const text = new TextDecoder('utf-8', { fatal: true }).decode(await handle.readFile());
        return { path: place, text, identity: { size: Number(size), mtimeNs: `${mtimeNs}`, ino: `${ino}` } };
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (error instanceof ModulesTooLarge) throw error;
    return undefined;
  }
}

/** Where a file that results name lies below the folder that cells run in; undefined of one elsewhere, and of no module. */
export function moduleNamed(file: string): string | undefined {
  const start = `${workFolderName}/`;
  return file.startsWith(start) && file.endsWith('.py') ? file.slice(start.length) : undefined;
}
