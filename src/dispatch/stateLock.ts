// A state belongs to one dispatcher: two that read the same notes would each start workers for the same cells. The lock is one that the
// kernel holds for a database file, so that a dispatcher that was killed has let go of it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

const busy = 5;
/** One that is being stopped may still have it. */
const patienceMilliseconds = 5000;
const lookAgainMilliseconds = 50;

/** Gives how to let go of it. Throws, in words, where another has it. */
export async function lockState(folder: string, patience = patienceMilliseconds): Promise<() => void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(path.join(folder, 'lock'), { timeout: 0 });
  const deadline = performance.now() + patience;
  while (!isTaken(lock)) {
    if (performance.now() > deadline) {
      lock.close();
      throw new Error(
        `Another svc dispatch works with ${folder}: stop it, or give this one a folder of its own with --state.`,
      );
    }
    await pause(lookAgainMilliseconds);
  }
  return () => lock.close();
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
