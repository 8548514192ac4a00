// Places that only so many may take at a time; the others wait in line, each no longer than it wants to.

export interface Slots {
  capacity: number;
  readonly active: number;
  readonly waiting: number;
  /** A function that frees the place again; undefined when none came free in time. */
  take(waitMs: number): Promise<(() => void) | undefined>;
}

export function createSlots(initial: number): Slots {
  let capacity = initial;
  let active = 0;
  const line: { grant: () => void }[] = [];

  const advance = (): void => {
    while (active < capacity) {
      const next = line.shift();
      if (!next) return;
      active += 1;
      next.grant();
    }
  };

  function place(): () => void {
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      active -= 1;
      advance();
    };
  }

  return {
    get capacity() {
      return capacity;
    },
    set capacity(value) {
      capacity = value;
      advance();
    },
    get active() {
      return active;
    },
    get waiting() {
      return line.length;
    },
    async take(waitMs) {
      if (active < capacity && line.length === 0) {
        active += 1;
        return place();
      }
      if (waitMs <= 0) return undefined;
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>();
      const waiter = { grant: () => resolve(place()) };
      line.push(waiter);
      const timer = Number.isFinite(waitMs)
        ? setTimeout(() => {
            const at = line.indexOf(waiter);
            if (at >= 0) line.splice(at, 1);
            resolve(undefined);
          }, waitMs)
        : undefined;
      return promise.finally(() => clearTimeout(timer));
    },
  };
}
