// Files that results have read: looked at before a run decides what is still true, and watched while the notebook is open.
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import path from 'node:path';
import { createFilePrints, type FilePrints } from '../../files/index.ts';
import type { KeptResult } from '../run/index.ts';
import { filesReadBy, type SessionState } from '../state/index.ts';

export interface FilesRead {
  readonly prints: FilePrints;
  /** Looks at the files that results of these cells have read, and at them again when they change. */
  look(cellIds: Iterable<string>): Promise<void>;
  close(): void;
}

export interface FilesReadParts {
  readonly directory: string;
  readonly kept: ReadonlyMap<string, readonly KeptResult[]>;
  readonly session: () => SessionState;
  readonly onSeen: (files: ReadonlyMap<string, string>) => void;
}

/** A program that replaces a file makes several events of it. */
const quietMs = 50;
/** The kernel has a limit for all processes together; cells that read in more folders are looked at when they run. */
const maxFolders = 64;

export function createFilesRead({ directory, kept, session, onSeen }: FilesReadParts): FilesRead {
  const prints = createFilePrints();
  for (const results of kept.values())
    for (const { files = {} } of results)
      for (const [name, print] of Object.entries(files)) if (print.ino !== undefined) prints.know(placeOf(name), print);
  const watched = new Map<string, FSWatcher>();
  const stirred = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function placeOf(name: string): string {
    return path.resolve(directory, name);
  }

  const folderOf = (name: string): string => (name.endsWith('/') ? placeOf(name) : path.dirname(placeOf(name)));

  async function see(names: Iterable<string>): Promise<void> {
    const found = await Promise.all(
      [...names].map(async (name) => [name, (await prints.of(placeOf(name))).print] as const),
    );
    if (!isClosed && found.length > 0) onSeen(new Map(found));
  }

  function stir(...names: string[]): void {
    const known = names.filter((name) => session().files.has(name));
    if (known.length === 0) return;
    for (const name of known) stirred.add(name);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const names = [...stirred];
      stirred.clear();
      void see(names);
    }, quietMs);
    timer.unref();
  }

  function unwatch(folder: string): void {
    watched.get(folder)?.close();
    watched.delete(folder);
  }

  /** The folder itself has gone, or another lies in its place. */
  function rewatch(folder: string): void {
    unwatch(folder);
    watch(folder);
    stir(...[...session().files.keys()].filter((file) => folderOf(file) === folder));
  }

  function watch(folder: string): void {
    if (isClosed || watched.has(folder) || watched.size >= maxFolders) return;
    try {
      const prefix = path.relative(directory, folder);
      const isInside = !prefix.startsWith('..');
      const watcher = watchFolder(folder, { persistent: false }, (_event, name) => {
        const place = isInside ? prefix : folder;
        if (name === null) return;
        if (name === path.basename(folder)) rewatch(folder);
        const changed = path.join(place, name);
        // A folder that comes brings files that were missing.
        const below = [...session().files.keys()].filter((file) => file.startsWith(`${changed}/`));
        for (const lower of new Set(below.map(folderOf))) rewatch(lower);
        stir(changed, `${place === '' ? '.' : place}/`, ...below);
      });
      watcher.on('error', () => unwatch(folder));
      watched.set(folder, watcher);
      // Whoever moves one of the folders above puts other files in their place.
      if (isInside && prefix !== '') watch(path.dirname(folder));
    } catch {
      // The folder is not there: whoever makes it makes it in one that is.
      if (path.dirname(folder) !== folder) watch(path.dirname(folder));
    }
  }

  return {
    prints,
    async look(cellIds) {
      const names = filesReadBy(session(), cellIds);
      if (names.size === 0) return;
      for (const folder of new Set([...names].map(folderOf))) watch(folder);
      await see(names);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const watcher of watched.values()) watcher.close();
    },
  };
}
