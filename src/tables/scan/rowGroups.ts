// The row groups of one scan, decoded ahead of whoever reads them, in order and only so many at a time. The first failure ends
// them all.
import type { HeldRowGroup } from '../cache/rowGroupCache.ts';

export interface RowGroups {
  readonly count: number;
  /** In order; rejects when reading failed or was stopped. */
  at(index: number): Promise<HeldRowGroup>;
  /** Resolves when every row group is there. */
  readonly all: Promise<readonly HeldRowGroup[]>;
  stop(reason: Error): void;
  /** Gives back what is held, once reading has ended. */
  release(): Promise<void>;
}

export function startRowGroups(
  count: number,
  parallelism: number,
  read: (index: number, signal: AbortSignal) => Promise<HeldRowGroup>,
): RowGroups {
  const stopping = new AbortController();
  const waiting = Array.from({ length: count }, () => Promise.withResolvers<HeldRowGroup>());
  for (const { promise } of waiting) promise.catch(() => {});
  let next = 0;

  async function work(): Promise<void> {
    for (let index = next++; index < count && !stopping.signal.aborted; index = next++) {
      try {
        const held = await read(index, stopping.signal);
        if (stopping.signal.aborted) held.release();
        else waiting[index]?.resolve(held);
      } catch (error) {
        stop(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  function stop(reason: Error): void {
    if (stopping.signal.aborted) return;
    stopping.abort(reason);
    for (const { reject } of waiting) reject(reason);
  }

  /** The first row group has the machine to itself: everybody waits for it. */
  async function workAll(): Promise<void> {
    const first = work();
    await Promise.race([first, waiting[0]?.promise.catch(() => {})]);
    await Promise.all([first, ...Array.from({ length: Math.min(parallelism, count) - 1 }, work)]);
  }

  const worked = workAll();
  const all = Promise.all(waiting.map(({ promise }) => promise));
  all.catch(() => {});
  return {
    count,
    all,
    stop,
    at: (index) => waiting[index]?.promise ?? Promise.reject(new RangeError(`There is no row group ${index}.`)),
    async release() {
      await worked;
      for (const { promise } of waiting) {
        await promise.then(
          (held) => held.release(),
          () => {},
        );
      }
    },
  };
}
