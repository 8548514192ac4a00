// A folder for each run. The next one is made and the last one removed beside the runs: while results are synced to a busy
// disk, either may wait for milliseconds.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { removeLent } from '../../files/index.ts';
import { errorCode } from '../storage/index.ts';

export interface RunFolders {
  /** An empty folder that nobody else gets. */
  take(): Promise<string>;
  /** The run is over: its folder goes, with whatever is left in it. */
  discard(folder: string): void;
  /** Resolves when none is left. */
  close(): Promise<void>;
}

export function createRunFolders(parent: string): RunFolders {
  const leaving = new Set<Promise<void>>();
  let ahead: Promise<string | undefined> | undefined;

  async function make(): Promise<string> {
    const folder = path.join(parent, randomUUID());
    // Not with its parents at once: of a disk that can only be read that would tell something else.
    await fs.mkdir(folder).catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await fs.mkdir(folder, { recursive: true });
    });
    return folder;
  }

  function remove(folder: string): void {
    const removed = fs
      .rmdir(folder)
      .catch(() => removeLent(folder))
      // What cannot be removed is in nobody's way: no other run gets it.
      .catch(() => {})
      .finally(() => leaving.delete(removed));
    leaving.add(removed);
  }

  return {
    async take() {
      const taken = ahead;
      ahead = undefined;
      const ready = await taken;
      // Somebody may have tidied up since it was made.
      return ready !== undefined && existsSync(ready) ? ready : make();
    },
    discard(folder) {
      remove(folder);
      ahead ??= make().catch(() => undefined);
    },
    async close() {
      const ready = await ahead;
      ahead = undefined;
      if (ready !== undefined) remove(ready);
      await Promise.all(leaving);
    },
  };
}
