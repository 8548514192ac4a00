// Notices what others do to a notebook's files: editors that replace files, version control that swaps many at once. What
// this process wrote itself is known by its content and not reported, nor is a file that ends as it was.
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { isTemporary } from './atomicWrite.ts';
import { cellsFolderName, notebookFileName } from './notebook.ts';
import { type ContentHash, contentHash, followWrites, isKnown, type Ledger } from './ownWrites.ts';

export interface OutsideChange {
  /** Whether `notebook.toml` differs. */
  readonly notebookFile: boolean;
  /** Files of `cells/` that differ, appeared or went, by name and sorted. */
  readonly cellFiles: readonly string[];
}

export interface NotebookWatch {
  close(): void;
}

export interface WatchOptions {
  /** How long the files must be quiet before a change is reported: a checkout is one change, not hundreds. */
  readonly quietMs?: number;
  readonly onError?: (error: unknown) => void;
}

/** Resolves once changes are noticed. `directory` must be a real path. */
export async function watchNotebook(
  directory: string,
  onChange: (change: OutsideChange) => void,
  { quietMs = 50, onError = () => {} }: WatchOptions = {},
): Promise<NotebookWatch> {
  const cells = path.join(directory, cellsFolderName);
  const known: Ledger = new Map();
  const unfollow = followWrites(directory, known);
  let cellsWatcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;

  function stir(name: string | null): void {
    if (isClosed || (name !== null && isTemporary(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      looking = looking.then(look).catch(onError);
    }, quietMs);
    timer.unref();
  }

  function watchCells(): void {
    cellsWatcher?.close();
    try {
      cellsWatcher = watchFolder(cells, { persistent: false }, (_event, name) => stir(name));
      cellsWatcher.on('error', () => cellsWatcher?.close());
    } catch {
      // Not there at the moment; the watch on the notebook itself tells when it comes back.
      cellsWatcher = undefined;
    }
  }

  async function look(): Promise<void> {
    const before = new Map(known);
    const found = await hashFiles(directory);
    const changed = [...new Set([...before.keys(), ...found.keys()])].filter((name) => {
      const content = found.get(name) ?? null;
      // A write of our own may have come while the files were read: both what was known and what is known now count.
      return !isKnown(content, before.get(name)) && !isKnown(content, known.get(name));
    });
    for (const name of changed) known.set(name, { content: found.get(name) ?? null });
    if (isClosed || changed.length === 0) return;
    const cellFiles = changed.filter((name) => name !== notebookFileName).map((name) => path.basename(name));
    onChange({ notebookFile: changed.includes(notebookFileName), cellFiles: cellFiles.sort() });
  }

  const watcher = watchFolder(directory, { persistent: false }, (_event, name) => {
    if (name === cellsFolderName) watchCells();
    if (name === null || name === cellsFolderName || name === notebookFileName) stir(name);
  });
  watcher.on('error', onError);
  watchCells();
  for (const [name, content] of await hashFiles(directory)) if (!known.has(name)) known.set(name, { content });

  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      watcher.close();
      cellsWatcher?.close();
      unfollow();
    },
  };
}

async function hashFiles(directory: string): Promise<Map<string, ContentHash>> {
  const names = await fs.readdir(path.join(directory, cellsFolderName)).catch(() => []);
  const files = names.filter((name) => !isTemporary(name)).map((name) => path.join(cellsFolderName, name));
  const hashes = await Promise.all(
    [notebookFileName, ...files].map(async (name) => {
      const content = await fs.readFile(path.join(directory, name)).catch(() => null);
      return [name, content === null ? null : contentHash(content)] as const;
    }),
  );
  return new Map(hashes);
}
