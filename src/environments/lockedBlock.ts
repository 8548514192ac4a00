// A notebook's lock as workers take it: the texts, and the key under which an environment of it is kept.
import path from 'node:path';
import { readIfThere } from './files.ts';
import { environmentKey, parseLock } from './lockKey.ts';

export interface LockedBlock {
  readonly key: string;
  readonly python: string;
  readonly lockfile: string;
  readonly pyproject: string;
}

/** Null for a notebook without a lock. `python` is the minor version that it runs on here. */
export async function lockedBlock(directory: string, python: string): Promise<LockedBlock | null> {
  const [lock, project] = await Promise.all(
    ['uv.lock', 'pyproject.toml'].map((name) => readIfThere(path.join(directory, name))),
  );
  if (!lock || !project) return null;
  const lockfile = lock.toString('utf8');
  return { key: environmentKey(parseLock(lockfile)), python, lockfile, pyproject: project.toString('utf8') };
}
