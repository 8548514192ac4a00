// How long a cell may run: a clock that can be paused while the cell waits for a person.

/** The longest time that a timer takes; about 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Limit {
  goOn(): void;
  pause(): void;
  end(): void;
}

/** `seconds`: null for no limit. It begins paused. */
export function createLimit(seconds: number | null, onOver: () => void): Limit {
  let left = seconds === null ? null : seconds * 1000;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function pause(): void {
    clearTimeout(timer);
    if (left !== null && since !== undefined) left -= performance.now() - since;
    since = undefined;
  }

  return {
    goOn() {
      if (left === null || since !== undefined) return;
      since = performance.now();
      timer = setTimeout(onOver, Math.min(Math.max(left, 0), LONGEST_MS));
    },
    pause,
    end() {
      pause();
      left = null;
    },
  };
}
