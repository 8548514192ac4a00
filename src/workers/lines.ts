// Cells of this server that wait for a worker which is full. They stand in one line for each worker: the first asks again when
// the worker said to, or as soon as a cell that this server has there ends; the others know their place and ask nobody.

export interface Lines {
  isWaiting(worker: string): boolean;
  /** Resolves when the cell is the first. Its place, from 1, is told now and whenever it changes. */
  enter(worker: string, onPlace: (place: number) => void, signal: AbortSignal): Promise<Turn>;
  /** A cell of ours ended there. */
  ended(worker: string): void;
  /** How many have so far. */
  endings(worker: string): number;
}

export interface Turn {
  /** So long, or until more cells than that have ended there. */
  rest(milliseconds: number, endings: number): Promise<void>;
  /** Lets the next one through. */
  leave(): void;
}

interface Waiting {
  readonly onPlace: (place: number) => void;
  readonly first: PromiseWithResolvers<void>;
}

interface WorkerLine {
  waiting: readonly Waiting[];
  endings: number;
  wake: (() => void) | undefined;
}

export function createLines(): Lines {
  const lines = new Map<string, WorkerLine>();

  function lineOf(worker: string): WorkerLine {
    const line = lines.get(worker) ?? { waiting: [], endings: 0, wake: undefined };
    lines.set(worker, line);
    return line;
  }

  function move(line: WorkerLine, waiting: readonly Waiting[]): void {
    line.waiting = waiting;
    waiting[0]?.first.resolve();
    for (const [index, { onPlace }] of waiting.entries()) onPlace(index + 1);
  }

  return {
    isWaiting: (worker) => lineOf(worker).waiting.length > 0,
    endings: (worker) => lineOf(worker).endings,

    ended(worker) {
      const line = lineOf(worker);
      line.endings += 1;
      line.wake?.();
    },

    async enter(worker, onPlace, signal) {
      const line = lineOf(worker);
      const one: Waiting = { onPlace, first: Promise.withResolvers() };
      const leave = (): void => {
        if (line.waiting.includes(one))
          move(
            line,
            line.waiting.filter((other) => other !== one),
          );
      };
      move(line, [...line.waiting, one]);
      try {
        await orStopped(one.first, signal);
      } catch (error) {
        leave();
        throw error;
      }
      return {
        leave,
        async rest(milliseconds, endings) {
          if (line.endings > endings) return;
          const over = Promise.withResolvers<void>();
          const timer = setTimeout(over.resolve, milliseconds);
          line.wake = over.resolve;
          await orStopped(over, signal).finally(() => {
            clearTimeout(timer);
            line.wake = undefined;
          });
        },
      };
    },
  };
}

async function orStopped({ promise, reject }: PromiseWithResolvers<void>, signal: AbortSignal): Promise<void> {
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
