// Work of which only so much is done at a time. Whoever waits is served one of each tenant in turn: a long line of one holds up
// nobody else.

export interface FairLine {
  /** Does the work when it is its turn; a signal ends the waiting, and is for the work itself to heed afterwards. */
  run<T>(tenant: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Begins when it is its turn, at once where there is a place. What it gives back ends that, or the waiting for it. */
  begin(tenant: string, work: () => void): () => void;
}

/** `ofOne`: how many places one tenant may have at a time. */
export function createFairLine(places: number, ofOne = places): FairLine {
  /** In the order of their turns. */
  const lines = new Map<string, Set<() => void>>();
  const active = new Map<string, number>();
  let taken = 0;

  const mayBegin = (tenant: string): boolean => taken < places && (active.get(tenant) ?? 0) < ofOne;

  function advance(): void {
    for (let next = first(); next; next = first()) {
      const [tenant, line, work] = next;
      leave(tenant, work);
      // Its others come after one of everybody else.
      if (lines.delete(tenant)) lines.set(tenant, line);
      take(tenant);
      work();
    }
  }

  function first(): [string, Set<() => void>, () => void] | undefined {
    if (taken >= places) return undefined;
    for (const [tenant, line] of lines) {
      const [work] = line;
      if (work && mayBegin(tenant)) return [tenant, line, work];
    }
    return undefined;
  }

  function take(tenant: string): void {
    taken += 1;
    active.set(tenant, (active.get(tenant) ?? 0) + 1);
  }

  function giveBack(tenant: string): void {
    taken -= 1;
    const left = (active.get(tenant) ?? 0) - 1;
    if (left > 0) active.set(tenant, left);
    else active.delete(tenant);
    advance();
  }

  /** False when it waits no longer. */
  function leave(tenant: string, work: () => void): boolean {
    const line = lines.get(tenant);
    const waited = line?.delete(work) ?? false;
    if (line?.size === 0) lines.delete(tenant);
    return waited;
  }

  function begin(tenant: string, work: () => void): () => void {
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      if (!leave(tenant, start)) giveBack(tenant);
    };
    const start = (): void => work();
    if (!lines.has(tenant) && mayBegin(tenant)) {
      take(tenant);
      start();
    } else lines.set(tenant, (lines.get(tenant) ?? new Set()).add(start));
    return end;
  }

  return {
    begin,
    async run(tenant, work, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = begin(tenant, resolve);
      const giveUp = (): void => {
        end();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      await promise.finally(() => signal.removeEventListener('abort', giveUp));
      try {
        return await work();
      } finally {
        end();
      }
    },
  };
}
