// A notebook's lock as workers take it: the texts, and the key under which an environment of it is kept.
import fs from 'node:fs/promises';
import path from 'node:path';
import { readIfThere } from './files.ts';
import { environmentKey, parseLock, renvLockKey } from './lockKey.ts';
import { makeshiftNote } from './makeshift.ts';

export interface LockedBlock {
  readonly key: string;
  readonly python: string;
  readonly lockfile: string;
  readonly pyproject: string;
}

const known = new Map<string, { readonly stamp: string; readonly block: LockedBlock }>();
const maxKnown = 100;

/** Null for a notebook without a lock. `python` is the minor version that it runs on here. */
export async function lockedBlock(directory: string, python: string): Promise<LockedBlock | null> {
  const files = ['uv.lock', 'pyproject.toml', makeshiftNote].map((name) => path.join(directory, name));
  const stamp = `${python} ${(await Promise.all(files.map(stampOf))).join(' ')}`;
  const kept = known.get(directory);
  // It goes along with every cell: read and hashed once for each change of the files.
  if (kept?.stamp === stamp) return kept.block;
  const [lock, project, makeshift] = await Promise.all(files.map(readIfThere));
  // What runs here is not what the lock says, so elsewhere it must not be either.
  if (!lock || !project || makeshift) return null;
  const lockfile = lock.toString('utf8');
  const block = { key: environmentKey(parseLock(lockfile)), python, lockfile, pyproject: project.toString('utf8') };
  if (known.size >= maxKnown) known.clear();
  known.set(directory, { stamp, block });
  return block;
}

/** The same for R: null for a notebook without a lock of renv. */
export async function lockedLibraryBlock(directory: string): Promise<{ key: string; lockfile: string } | null> {
  const lock = await readIfThere(path.join(directory, 'renv.lock'));
  return lock ? { key: renvLockKey(lock), lockfile: lock.toString('utf8') } : null;
}

async function stampOf(file: string): Promise<string> {
  const found = await fs.stat(file).catch(() => undefined);
  return found ? `${found.ino}:${found.size}:${found.mtimeMs}` : 'none';
}
