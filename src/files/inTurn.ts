// One at a time, across processes.
import { type Turn, takeLock } from './fileLock.ts';

/** Does `work` while nobody else does any with the same lock file. */
export async function inTurn<T>(lockFile: string, work: () => Promise<T>, turn: Turn): Promise<T> {
  const letGo = await takeLock(lockFile, turn);
  try {
    return await work();
  } finally {
    letGo();
  }
}
