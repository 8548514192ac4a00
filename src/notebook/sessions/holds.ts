// Holds that keep notebooks still for a copy: of one notebook, or of everything below a project directory, open or not.
// They live in memory and end by themselves.
import path from 'node:path';
import { refusals } from '../../errors/index.ts';

export type Overlap = { readonly held: string; readonly inside: boolean };

export interface Holds {
  /** The hold that this one would overlap, or undefined when it was placed. Its time begins when it is complete. */
  place(root: string, seconds: number): Overlap | undefined;
  /** From draining to held: from now on writes are refused too. */
  complete(root: string): void;
  release(root: string): boolean;
  /** Ends every hold. */
  end(): void;
  /** The hold that covers a path, with the seconds it has left. */
  over(place: string): { root: string; secondsLeft: number; complete: boolean } | undefined;
  /** Does what makes or removes a notebook: refused where it would reach what is held. A hold to come waits for it. */
  writing<T>(place: string, work: () => Promise<T>): Promise<T>;
  /** Does what a hold to come has to wait for. */
  tracked<T>(place: string, work: () => Promise<T>): Promise<T>;
  /** Resolves when all that was begun at or below a path, or above it, is over. */
  settled(root: string): Promise<void>;
  /** Resolves when no hold covers the path. */
  free(place: string): Promise<void>;
}

interface Hold {
  readonly seconds: number;
  /** Undefined while it drains. */
  until?: number;
  /** Resolves when it is complete, and another when it is released. */
  changed: PromiseWithResolvers<void>;
}

/** What other servers of the service hold at a place or above it. */
export type HoldsElsewhere = (place: string) => Promise<{ root: string; secondsLeft: number } | undefined>;

export function createHolds(
  now: () => number = () => performance.now() / 1000,
  elsewhere: HoldsElsewhere = async () => undefined,
): Holds {
  const holds = new Map<string, Hold>();
  const works = new Map<Promise<unknown>, string>();
  const live = (): [string, Hold][] => {
    for (const [root, { until }] of holds) if (until !== undefined && until <= now()) holds.delete(root);
    return [...holds];
  };

  function over(place: string): ReturnType<Holds['over']> {
    const found = live().find(([root]) => covers(root, place));
    if (!found) return undefined;
    const [root, { until, seconds }] = found;
    return { root, secondsLeft: until === undefined ? seconds : until - now(), complete: until !== undefined };
  }

  async function tracked<T>(place: string, work: () => Promise<T>): Promise<T> {
    const done = work();
    works.set(done, place);
    try {
      return await done;
    } finally {
      works.delete(done);
    }
  }

  function release(root: string): boolean {
    const hold = live().find(([held]) => held === root)?.[1];
    if (!hold) return false;
    holds.delete(root);
    hold.changed.resolve();
    return true;
  }

  return {
    place(root, seconds) {
      for (const [other] of live()) {
        if (covers(other, root)) return { held: other, inside: false };
        if (covers(root, other)) return { held: other, inside: true };
      }
      holds.set(root, { seconds, changed: Promise.withResolvers() });
      return undefined;
    },
    complete(root) {
      const hold = holds.get(root);
      if (!hold) return;
      hold.until = now() + hold.seconds;
      hold.changed.resolve();
      hold.changed = Promise.withResolvers();
    },
    release,
    end() {
      for (const [root] of live()) release(root);
    },
    over,
    async writing(place, work) {
      const inside = live().find(([root]) => covers(place, root))?.[0];
      const held = over(place) ?? (inside === undefined ? undefined : over(inside));
      if (held) throw refusals.notebookQuiesced(held.root, held.secondsLeft);
      return tracked(place, async () => {
        const far = await elsewhere(place);
        if (far) throw refusals.notebookQuiesced(far.root, far.secondsLeft);
        return work();
      });
    },
    tracked,
    async settled(root) {
      const begun = [...works].filter(([, place]) => covers(root, place) || covers(place, root));
      await Promise.allSettled(begun.map(([work]) => work));
    },
    async free(place) {
      for (let held = over(place); held; held = over(place)) {
        const ended = holds.get(held.root)?.changed.promise;
        const late = Promise.withResolvers<void>();
        const timer = held.complete ? setTimeout(late.resolve, held.secondsLeft * 1000).unref() : undefined;
        await Promise.race([ended, late.promise]);
        clearTimeout(timer);
      }
    },
  };
}

const covers = (root: string, place: string): boolean =>
  place === root || place.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
