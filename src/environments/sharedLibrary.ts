// R libraries that notebooks share: while renv works on one it is the notebook's own copy; when it is done, what the lock
// describes is moved beside the shared environments and linked to.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readIfThere } from './files.ts';
import { environmentFolder, renvLockKey } from './lockKey.ts';
import { installedIn } from './rLibrary.ts';
import { createSharedFolder } from './sharedFolder.ts';

export interface SharedLibraries {
  /** Does `work` on a library that belongs to the notebook alone, and shares what came of it. */
  around(directory: string, build: string, work: () => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** The lock tool itself need not lie in the library. */
const lockTool = 'renv';

const lockSchema = z.looseObject({
  Packages: z.record(z.string(), z.looseObject({ Priority: z.string().optional() })),
});

/** What most installations of R bring with them lies in a library of theirs. */
const comesWithR = new Set<unknown>(['base', 'recommended']);

export function createSharedLibraries(root: string): SharedLibraries {
  const shared = createSharedFolder(path.join(root, 'r'));

  async function share(directory: string, library: string, build: string, signal: AbortSignal): Promise<void> {
    const lock = await readIfThere(path.join(directory, 'renv.lock'));
    if (!lock || !(await isWhole(lock, library))) return;
    const key = environmentFolder(renvLockKey(lock), build);
    await shared.claim(key, library);
    const place = shared.placeOf(key);
    await shared.ensure(
      key,
      async () => {
        await fs.rm(place, { recursive: true, force: true });
        await fs.cp(library, place, { recursive: true, verbatimSymlinks: true });
      },
      { signal },
    );
    await shared.link(key, library);
  }

  return {
    async around(directory, build, work, signal) {
      const library = path.join(directory, 'renv/library');
      const before = await fs.readlink(library).catch(() => undefined);
      if (before !== undefined) await copyOver(before, library);
      try {
        await work();
        await share(directory, library, build, signal);
      } catch (error) {
        if (before !== undefined) {
          await fs.rm(library, { recursive: true, force: true });
          await fs.symlink(before, library);
        }
        throw error;
      }
    },
  };
}

async function copyOver(shared: string, library: string): Promise<void> {
  await fs.unlink(library);
  await fs.cp(shared, library, { recursive: true, verbatimSymlinks: true });
}

/** Every package of the lock is there, but for those that came with R; anything less is nothing to share. */
async function isWhole(lock: Buffer, library: string): Promise<boolean> {
  const parsed = lockSchema.safeParse(JSON.parse(lock.toString('utf8')));
  if (!parsed.success) return false;
  const there = new Set((await installedIn(library)).map(({ name }) => name));
  return Object.entries(parsed.data.Packages).every(
    ([name, { Priority }]) => name === lockTool || there.has(name) || comesWithR.has(Priority),
  );
}
