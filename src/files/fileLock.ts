// A lock that the kernel holds for a database file: a process that dies lets go of it, and nothing has to be tidied up after it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const lookAgainMilliseconds = 50;
const busy = 5;

export interface Turn {
  /** Nobody waits any longer: rejects. */
  readonly signal: AbortSignal;
  /** Called once when another has the lock. */
  readonly onWait?: (() => void) | undefined;
}

/** Gives how to let go of it. The file is made where it is missing, and stays. */
export async function takeLock(lockFile: string, { signal, onWait }: Turn): Promise<() => void> {
  await fs.mkdir(path.dirname(lockFile), { recursive: true });
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    for (let isFirst = true; !isTaken(lock); isFirst = false) {
      if (isFirst) onWait?.();
      await pause(lookAgainMilliseconds, undefined, { signal });
    }
    return () => lock.close();
  } catch (error) {
    lock.close();
    throw error;
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
