// Who uses which view. A server and a worker on one folder know by the time of use alone what the other holds.
import fs from 'node:fs/promises';
import type { CachePlaces } from './cacheFiles.ts';

export interface ViewUses {
  /** Gives how to let it go. */
  hold(key: string): () => void;
  isHeld(key: string): boolean;
  /** False where somebody who shares this folder has just taken it away. */
  touched(key: string): Promise<boolean>;
  /** The time of those that are held is kept fresh from now on. */
  tell(): void;
}

const tellMilliseconds = 20 * 60_000;

export function createViewUses(places: CachePlaces, now: () => number): ViewUses {
  const held = new Map<string, number>();
  let telling: NodeJS.Timeout | undefined;

  async function touch(key: string): Promise<void> {
    const at = new Date(now());
    await fs.utimes(places.lockOf(key), at, at);
  }

  function tell(): void {
    if (held.size === 0) {
      clearInterval(telling);
      telling = undefined;
    } else {
      telling ??= setInterval(() => {
        for (const key of held.keys()) void touch(key).catch(() => {});
      }, tellMilliseconds).unref();
    }
  }

  return {
    tell,
    isHeld: (key) => held.has(key),
    hold(key) {
      held.set(key, (held.get(key) ?? 0) + 1);
      return () => {
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
        tell();
      };
    },
    touched: (key) =>
      touch(key).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
          return false;
        },
      ),
  };
}
