// One at a time, across processes. The lock is one that the kernel holds for a database file: a process that dies lets go of
// it, and nothing has to be tidied up after it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMilliseconds = 50;
const busy = 5;

export interface Turn {
  readonly signal: AbortSignal;
  /** Called once when another has the turn. */
  readonly onWait?: () => void;
}

/** Does `work` while nobody else does any with the same lock file, which is made where it is missing and stays. */
export async function inTurn<T>(lockFile: string, work: () => Promise<T>, { signal, onWait }: Turn): Promise<T> {
  await fs.mkdir(path.dirname(lockFile), { recursive: true });
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    for (let isFirst = true; !isTaken(lock); isFirst = false) {
      if (isFirst) onWait?.();
      await pause(lookAgainMilliseconds, undefined, { signal });
    }
    return await work();
  } finally {
    lock.close();
  }
}

function isTaken(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return false;
    throw error;
  }
}
