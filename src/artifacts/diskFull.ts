// A disk without room is not a fault of the program: whoever wrote is told, and nothing was changed.
import { refusals } from '../errors/index.ts';

const codes = new Set(['ENOSPC', 'EDQUOT']);

export async function unlessFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const full = error instanceof Error && 'code' in error && codes.has(String(error.code));
    throw full ? refusals.artifactStorageFull() : error;
  }
}
