// Notices what others do to a notebook's files: editors that replace files, version control that swaps many at once. What
// this process wrote itself is known by its content and not reported, nor is a file that ends as it was.
import { type FSWatcher, watch as watchFolder } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isPassing, readPlainFile } from '../../files/index.ts';
import { isTemporary } from './atomicWrite.ts';
import { cellsFolderName, notebookFileName } from './notebook.ts';
import {
  contentHash,
  followWrites,
  identityNow,
  identityOf,
  isKnown,
  type KnownContent,
  type Ledger,
} from './ownWrites.ts';

export interface OutsideChange {
  /** Whether `notebook.toml` differs. */
  readonly notebookFile: boolean;
  /** Files of `cells/` that differ, appeared or went, by name and sorted. */
  readonly cellFiles: readonly string[];
}

export interface NotebookWatch {
  /**
   * Resolves when what others have written until now is dealt with: everything that the system has told of, and these files,
   * by relative path, each of which is asked for itself. Where nothing was written that is one look at each.
   */
  catchUp(files: Iterable<string>): Promise<void>;
  close(): void;
}

export interface WatchOptions {
  /** How long the files must be quiet before a change is reported: a checkout is one change, not hundreds. */
  readonly quietMs?: number;
  /** What was read of files below the directory, by relative path: they are not read again to know their content. */
  readonly read?: ReadonlyMap<string, string>;
  readonly onError?: (error: unknown) => void;
  /** The folder itself may have been moved or deleted. */
  readonly onFolder?: () => void;
}

/** File systems keep the time of a change by the tick of the kernel. */
const tickMs = 20;

/** More files than these at once are a checkout: everything is looked at, since the system may have dropped events. */
const fewFiles = 64;

/** Resolves once changes are noticed. `directory` must be a real path. */
export async function watchNotebook(
  directory: string,
  onChange: (change: OutsideChange) => void | Promise<void>,
  { quietMs = 50, onError = () => {}, onFolder = () => {}, read = new Map() }: WatchOptions = {},
): Promise<NotebookWatch> {
  const cells = path.join(directory, cellsFolderName);
  const known: Ledger = new Map();
  const unfollow = followWrites(directory, known);
  /** By relative path, since the last look. */
  const stirred = new Set<string>();
  let isAllStirred = false;
  let cellsWatcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  let folderTimer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** Without a name, any file may have changed. */
  function stir(name: string | null): void {
    if (isClosed || (name !== null && isTemporary(path.basename(name)))) return;
    if (name === null) isAllStirred = true;
    else stirred.add(name);
    clearTimeout(timer);
    timer = setTimeout(lookNow, quietMs);
    timer.unref();
  }

  function lookAtFolder(): void {
    if (isClosed) return;
    clearTimeout(folderTimer);
    folderTimer = setTimeout(onFolder, quietMs);
    folderTimer.unref();
  }

  function lookNow(): void {
    clearTimeout(timer);
    looking = looking.then(readChanged).catch(onError);
  }

  function watchCells(): void {
    cellsWatcher?.close();
    try {
      cellsWatcher = watchFolder(cells, { persistent: false }, (_event, name) =>
        stir(name === null ? null : path.join(cellsFolderName, name)),
      );
      cellsWatcher.on('error', () => cellsWatcher?.close());
    } catch {
      // Not there at the moment; the watch on the notebook itself tells when it comes back.
      cellsWatcher = undefined;
    }
  }

  async function readChanged(): Promise<void> {
    const some = isAllStirred || stirred.size > fewFiles ? undefined : [...stirred];
    stirred.clear();
    isAllStirred = false;
    try {
      await takeOver(some);
    } catch (error) {
      if (!isPassing(error)) throw error;
      for (const name of some ?? [null]) stir(name);
    }
  }

  async function takeOver(some: readonly string[] | undefined): Promise<void> {
    const before = new Map(known);
    const found = await hashFiles(directory, some ?? (await listFiles(directory)));
    const looked = [...new Set([...(some ?? before.keys()), ...found.keys()])];
    const changed = looked.filter((name) => {
      const content = found.get(name)?.content ?? null;
      // A write of our own may have come while the files were read: both what was known and what is known now count.
      return !isKnown(content, before.get(name)) && !isKnown(content, known.get(name));
    });
    const news = new Map(changed.map((name) => [name, found.get(name) ?? { content: null }]));
    for (const [name, seen] of news) known.set(name, seen);
    // What is as it was known is not read again until it is another file.
    for (const [name, seen] of found)
      if (known.get(name)?.content === seen.content && known.get(name)?.replacing === undefined) known.set(name, seen);
    if (isClosed || changed.length === 0) return;
    const cellFiles = changed.filter((name) => name !== notebookFileName).map((name) => path.basename(name));
    try {
      await onChange({ notebookFile: changed.includes(notebookFileName), cellFiles: cellFiles.sort() });
    } catch (error) {
      // Nobody has taken it over: it is news again at the next look, unless we wrote there meanwhile.
      for (const [name, seen] of news)
        if (known.get(name) === seen) known.set(name, before.get(name) ?? { content: null });
      throw error;
    }
  }

  const isAsKnown = (name: string): boolean => {
    const now = identityNow(path.join(directory, name));
    const seen = known.get(name);
    return now === undefined ? seen?.content === null || seen === undefined : now === seen?.identity;
  };

  const watcher = watchFolder(directory, { persistent: false }, (event, name) => {
    // Of a deletion the system tells once nobody stands in the folder any more, which may be never: what lay in it is told of at once.
    if (event === 'rename') lookAtFolder();
    if (name === cellsFolderName) watchCells();
    if (name === notebookFileName) stir(name);
    else if (name === null || name === cellsFolderName) stir(null);
  });
  watcher.on('error', onError);
  watchCells();
  const present = await listFiles(directory);
  for (const [name, seen] of await hashFiles(directory, present, read)) if (!known.has(name)) known.set(name, seen);

  return {
    async catchUp(files) {
      // Whatever the system had to tell when we were asked has arrived a turn later.
      await setImmediate();
      if (isClosed) return;
      for (const name of files) if (!isAsKnown(name)) stirred.add(name);
      if (isAllStirred || stirred.size > 0) lookNow();
      await looking;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(folderTimer);
      watcher.close();
      cellsWatcher?.close();
      unfollow();
    },
  };
}

/** The notebook file, there or not, and what lies in `cells/`. */
async function listFiles(directory: string): Promise<string[]> {
  const names = await fs.readdir(path.join(directory, cellsFolderName)).catch((error: unknown) => {
    if (isPassing(error)) throw error;
    return [];
  });
  const cellFiles = names.filter((name) => !isTemporary(name)).map((name) => path.join(cellsFolderName, name));
  return [notebookFileName, ...cellFiles];
}

async function hashFiles(
  directory: string,
  names: readonly string[],
  read: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, KnownContent>> {
  const hashes = await Promise.all(
    names.map(async (name): Promise<[string, KnownContent]> => {
      const before = read.get(name);
      if (before !== undefined) return [name, { content: contentHash(before) }];
      const file = path.join(directory, name);
      // Looked at first: what is written while it is read makes it another.
      const found = await fs.stat(file).catch(() => undefined);
      const content = await readPlainFile(file).catch((error: unknown) => {
        // A file that cannot be read at this moment has not gone.
        if (isPassing(error)) throw error;
        return null;
      });
      if (content === null) return [name, { content: null }];
      // Written to once more in the same tick of the clock it would look the same.
      const isSettled = found !== undefined && Date.now() - found.mtimeMs > tickMs;
      return [name, { content: contentHash(content), ...(isSettled ? { identity: identityOf(found) } : {}) }];
    }),
  );
  return new Map(hashes);
}
