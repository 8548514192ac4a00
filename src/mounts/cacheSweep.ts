// What was long unused leaves the cache of mounts, and what is too much: now and then, and when asked.
import fs from 'node:fs/promises';
import path from 'node:path';
import { bytesOnDisk, type CachePlaces, filesBelow, goneMark, names, removeTree } from './cacheFiles.ts';

export interface CacheLimits {
  /** 0 never removes for size. */
  readonly maxBytes: number;
  /** 0 never removes for age. */
  readonly maxIdleDays: number;
  readonly now?: () => number;
}

export interface SweepParts {
  readonly places: CachePlaces;
  readonly limits: CacheLimits & { readonly now: () => number };
  readonly isHeld: (key: string) => boolean;
  /** Removes a view so that nobody is given half of it. */
  readonly letGo: (key: string) => Promise<void>;
}

export interface Sweeper {
  sweep(): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

const hour = 3_600_000;
/** What a program that has just started must not be held up by. */
const firstSweepMs = 60_000;

export function startSweeper({ places, limits, isHeld, letGo }: SweepParts): Sweeper {
  const { maxBytes, maxIdleDays, now } = limits;
  let next: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  const usedAt = async (key: string): Promise<number> =>
    (await fs.stat(places.lockOf(key)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;

  async function sweepViews(): Promise<void> {
    const found = await Promise.all(
      (await names(places.views)).map(async (key) => ({
        key,
        at: await usedAt(key),
        files: await filesBelow(places.viewOf(key)),
      })),
    );
    const sizes = bytesOnDisk(found.map(({ files }) => files));
    for (const { key, files } of found.sort((a, b) => a.at - b.at)) {
      // Whoever shares this folder may have used it meanwhile.
      const age = now() - (await usedAt(key));
      const isUsed = isHeld(key) || age < hour;
      const isIdle = maxIdleDays > 0 && age > maxIdleDays * 24 * hour;
      const isTooMuch = maxBytes > 0 && sizes.total() > maxBytes;
      if (isUsed || !(isIdle || isTooMuch)) continue;
      await letGo(key);
      sizes.without(files);
    }
  }

  async function sweepAll(): Promise<void> {
    await sweepViews();
    for (const name of await names(places.temporary)) {
      const left = path.join(places.temporary, name);
      const { mtimeMs } = await fs.stat(left).catch(() => ({ mtimeMs: now() }));
      if (name.startsWith(goneMark) || now() - mtimeMs > 24 * hour) await removeTree(left);
    }
    // After the links to them: a view that somebody was killed over holds its objects until it is gone.
    for (const group of await names(places.objects)) {
      for (const name of await names(path.join(places.objects, group))) {
        const file = path.join(places.objects, group, name);
        const found = await fs.stat(file).catch(() => undefined);
        if (found?.nlink === 1) await fs.rm(file, { force: true });
      }
    }
  }

  /** Views grow old though nobody asks for any. */
  function sweepIn(milliseconds: number): void {
    clearTimeout(next);
    next = setTimeout(() => void sweep().catch(() => {}), milliseconds).unref();
  }

  function sweep(): Promise<void> {
    const swept = sweeping.then(sweepAll);
    sweeping = swept.catch(() => {});
    sweepIn(hour);
    return swept;
  }

  sweepIn(firstSweepMs);

  return { sweep, settled: () => sweeping };
}
