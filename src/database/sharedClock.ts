// The time by the clock of a database that several servers share, told without asking it each time: how far it is ahead of
// this process's steady counter is asked at the start and from time to time. The clock of this machine has no part in it,
// so servers whose clocks differ agree on what is over.

export interface SharedClock {
  /** Seconds since 1970. */
  now(): number;
  close(): void;
}

const askMilliseconds = 30_000;
/** An answer that took longer says too little of when it was given. */
const longestSeconds = 1;

const elapsed = (): number => performance.now() / 1000;

/** `ask` gives the database's time. */
export async function followClock(ask: () => Promise<number>): Promise<SharedClock> {
  const measure = async (): Promise<{ readonly ahead: number; readonly took: number }> => {
    const begun = elapsed();
    const theirs = await ask();
    const took = elapsed() - begun;
    return { ahead: theirs - begun - took / 2, took };
  };
  let { ahead } = await measure();
  const follow = async (): Promise<void> => {
    const measured = await measure();
    if (measured.took < longestSeconds) ahead = measured.ahead;
  };
  // A database that does not answer now is asked again; until then the steady counter goes on.
  const timer = setInterval(() => void follow().catch(() => {}), askMilliseconds).unref();
  return { now: () => elapsed() + ahead, close: () => clearInterval(timer) };
}
