// Remote read-only mounts on this machine. Every object is kept once under the digest of what it is; a view is a folder of
// links to the objects that a mount held at one time, made aside and renamed into place. What was long unused goes the same
// way: renamed aside, so that nobody is given half of it. A cell that runs as the server's own user can change what it is
// given: whatever is not as it was fetched is fetched again.
import { createHash } from 'node:crypto';
import { cachePlaces, isThere, removeTree } from './cacheFiles.ts';
import { type CacheLimits, startSweeper } from './cacheSweep.ts';
import { createViews, type ViewFile, type ViewRequest } from './views.ts';
import { createViewUses } from './viewUses.ts';

export type { ViewFile, ViewRequest } from './views.ts';

export interface HeldView {
  readonly folder: string;
  /** It may go from now on, when its time comes. */
  release(): void;
}

export interface MountCache {
  readonly root: string;
  /** How much of these files is here already. */
  cachedBytes(files: readonly ViewFile[]): Promise<number>;
  hold(request: ViewRequest): Promise<HeldView>;
  sweep(): Promise<void>;
  /** Resolves when nothing is being removed. */
  settled(): Promise<void>;
}

export const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\0')).digest('hex');

export function createMountCache(root: string, { now = Date.now, ...limits }: CacheLimits): MountCache {
  const places = cachePlaces(root);
  const views = createViews(places);
  const uses = createViewUses(places, now);
  const making = new Map<string, Promise<void>>();
  const leaving = new Map<string, Promise<void>>();

  async function letGo(key: string): Promise<void> {
    const moved = views.moveOut(key);
    const left = moved.then(
      () => {},
      () => {},
    );
    leaving.set(key, left);
    await removeTree(await moved.finally(() => leaving.delete(key)));
  }

  const { sweep, settled } = startSweeper({ places, limits: { ...limits, now }, isHeld: uses.isHeld, letGo });

  return {
    root,
    settled,
    async cachedBytes(files) {
      const sizes = files.map(async ({ objectKey, object }) =>
        objectKey !== null && (await isThere(places.objectAt(objectKey))) ? object.size : 0,
      );
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    async hold(request) {
      const { key } = request;
      const release = uses.hold(key);
      try {
        let isNew = false;
        await leaving.get(key);
        while (!((await views.isAsFetched(request)) && (await uses.touched(key)))) {
          const other = making.get(key);
          const made = other ?? views.make(request).finally(() => making.delete(key));
          making.set(key, made);
          // Whoever made it may have been cancelled; then it is tried again from here.
          await (other === undefined ? made : other.catch(() => {}));
          isNew = true;
        }
        // What it takes is made room for at once; nobody waits for that.
        if (isNew) void sweep().catch(() => {});
        uses.tell();
        return { folder: places.dataOf(key), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    sweep,
  };
}
