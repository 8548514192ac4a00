// Whoever edited a cell last has it to themselves for a few seconds. A refused edit does not make that longer.

export interface SoftLocks {
  /** The other identity that holds the cell, if any; otherwise the edit takes the lock. */
  take(cellId: string, author: string, force: boolean): { heldBy: string } | undefined;
  anyHeld(): boolean;
}

export function createSoftLocks(seconds: number, now: () => number = () => performance.now() / 1000): SoftLocks {
  const held = new Map<string, { author: string; until: number }>();
  const isLive = ({ until }: { until: number }): boolean => until > now();
  return {
    take(cellId, author, force) {
      const lock = held.get(cellId);
      if (lock && lock.author !== author && isLive(lock) && !force) return { heldBy: lock.author };
      if (seconds > 0) held.set(cellId, { author, until: now() + seconds });
      return undefined;
    },
    anyHeld: () => [...held.values()].some(isLive),
  };
}
