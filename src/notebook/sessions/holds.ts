// Holds that keep notebooks still for a copy: of one notebook, or of everything below a project directory, open or not.
// They live in memory and end by themselves.
import path from 'node:path';

export type Overlap = { readonly held: string; readonly inside: boolean };

export interface Holds {
  /** The hold that this one would overlap, or undefined when it was placed. */
  place(root: string, seconds: number): Overlap | undefined;
  /** From draining to held: from now on writes are refused too. */
  complete(root: string): void;
  release(root: string): boolean;
  /** The hold that covers a path, with the seconds it has left. */
  over(place: string): { root: string; secondsLeft: number; complete: boolean } | undefined;
}

export function createHolds(now: () => number = () => performance.now() / 1000): Holds {
  const holds = new Map<string, { until: number; complete: boolean }>();
  const live = (): [string, { until: number; complete: boolean }][] => {
    for (const [root, { until }] of holds) if (until <= now()) holds.delete(root);
    return [...holds];
  };
  return {
    place(root, seconds) {
      for (const [other] of live()) {
        if (covers(other, root)) return { held: other, inside: false };
        if (covers(root, other)) return { held: other, inside: true };
      }
      holds.set(root, { until: now() + seconds, complete: false });
      return undefined;
    },
    complete(root) {
      const hold = holds.get(root);
      if (hold) hold.complete = true;
    },
    release: (root) => live().some(([held]) => held === root) && holds.delete(root),
    over(place) {
      const found = live().find(([root]) => covers(root, place));
      return found && { root: found[0], secondsLeft: found[1].until - now(), complete: found[1].complete };
    },
  };
}

const covers = (root: string, place: string): boolean =>
  place === root || place.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
