// A state belongs to one dispatcher: two that read the same notes would each start workers for the same cells.
import fs from 'node:fs/promises';
import path from 'node:path';
import { takeLock } from '../files/index.ts';

/** One that is being stopped may still have it. */
const patienceMilliseconds = 5000;

/** Gives how to let go of it. Throws, in words, where another has it. */
export async function lockState(folder: string, patience = patienceMilliseconds): Promise<() => void> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const signal = AbortSignal.timeout(patience);
  return takeLock(path.join(folder, 'lock'), { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new Error(
      `Another svc dispatch works with ${folder}: stop it, or give this one a folder of its own with --state.`,
    );
  });
}
