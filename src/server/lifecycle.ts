// The life of a serving process: it serves, it drains (what runs may finish, new long work is refused), it is gone.

export interface Lifecycle {
  /** Aborts when the server begins to stop; anything open-ended ends with it. */
  readonly draining: AbortSignal;
  /** Counts a request in; call the answer when it is over. */
  begin(): () => void;
  /** Begins to drain and resolves when nothing is in flight any more, or after the limit. */
  drain(limitMilliseconds: number): Promise<'finished' | 'cut short'>;
}

export function createLifecycle(): Lifecycle {
  const stop = new AbortController();
  const empty = Promise.withResolvers<'finished'>();
  let inFlight = 0;
  const settle = (): void => {
    if (inFlight === 0 && stop.signal.aborted) empty.resolve('finished');
  };
  return {
    draining: stop.signal,
    begin() {
      inFlight += 1;
      let over = false;
      return () => {
        if (over) return;
        over = true;
        inFlight -= 1;
        settle();
      };
    },
    async drain(limitMilliseconds) {
      stop.abort();
      settle();
      const limit = Promise.withResolvers<'cut short'>();
      const timer = setTimeout(() => limit.resolve('cut short'), limitMilliseconds);
      const outcome = await Promise.race([empty.promise, limit.promise]);
      clearTimeout(timer);
      return outcome;
    },
  };
}
