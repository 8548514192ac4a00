// Makes what was committed to a write-ahead log durable, in a thread of the pool: a disk that takes its time holds up
// nobody else. Commits that come while one sync runs share the next.
import { type FileHandle, open } from 'node:fs/promises';

export interface LogSync {
  /** Resolves when all that is in the log now is on the disk. */
  (): Promise<void>;
  close(): Promise<void>;
}

export function syncOf(log: string): LogSync {
  let file: Promise<FileHandle> | undefined;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function sync(): Promise<void> {
    next = undefined;
    file ??= open(log, 'r').catch((error: unknown) => {
      file = undefined; // too many files are open, say: the next commit tries again
      throw error;
    });
    await (await file).datasync();
  }

  return Object.assign(
    () => {
      if (next === undefined) {
        next = running.then(sync, sync);
        running = next;
        running.catch(() => {}); // told to those who wait for it
      }
      return next;
    },
    {
      async close() {
        await running.catch(() => {});
        await (await file?.catch(() => undefined))?.close();
      },
    },
  );
}
