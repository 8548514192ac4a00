// Places that are far away, and disks that sync, take as long for one file as for several.

const atOnce = 8;

/** Does the work for each, in no order. After a failure nothing more is begun, and what was begun is waited for. */
export async function severalAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let hasFailed = false;
  async function worker(): Promise<void> {
    for (let next = left.next(); !next.done && !hasFailed; next = left.next())
      await work(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
