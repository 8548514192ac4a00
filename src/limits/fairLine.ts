// Work of which only so much is done at a time. Whoever waits is served one of each tenant in turn: a long line of one holds up
// nobody else.

export interface FairLine {
  /** Does the work when it is its turn; a signal ends the waiting, and is for the work itself to heed afterwards. */
  run<T>(tenant: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createFairLine(places: number): FairLine {
  /** In the order of their turns. */
  const lines = new Map<string, Set<() => void>>();
  let active = 0;

  function advance(): void {
    while (active < places) {
      const [tenant, line] = lines.entries().next().value ?? [];
      const [begin] = line ?? [];
      if (tenant === undefined || !line || !begin) return;
      leave(tenant, begin);
      // Its others come after one of everybody else.
      if (lines.delete(tenant)) lines.set(tenant, line);
      active += 1;
      begin();
    }
  }

  function leave(tenant: string, begin: () => void): void {
    const line = lines.get(tenant);
    line?.delete(begin);
    if (line?.size === 0) lines.delete(tenant);
  }

  async function turn(tenant: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    lines.set(tenant, (lines.get(tenant) ?? new Set()).add(resolve));
    const giveUp = (): void => {
      leave(tenant, resolve);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    advance();
    await promise.finally(() => signal.removeEventListener('abort', giveUp));
  }

  return {
    async run(tenant, work, signal) {
      await turn(tenant, signal);
      try {
        return await work();
      } finally {
        active -= 1;
        advance();
      }
    },
  };
}
