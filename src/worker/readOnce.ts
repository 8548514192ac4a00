// Something that takes a while to find out: whoever waits gets it, others what is known so far.

export interface ReadOnce<T> {
  /** Undefined until it has been found out. */
  readonly known: T | undefined;
  wait(): Promise<T>;
}

export function readOnce<T>(read: () => Promise<T>): ReadOnce<T> {
  let known: T | undefined;
  let reading: Promise<T> | undefined;
  return {
    get known() {
      return known;
    },
    wait() {
      reading ??= read().then(
        (found) => {
          known = found;
          return found;
        },
        (error: unknown) => {
          reading = undefined;
          throw error;
        },
      );
      return reading;
    },
  };
}
