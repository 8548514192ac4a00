// How a program that serves is stopped: the first signal ends it in order, one that comes after that has begun ends it at once.
// A signal to a whole process group arrives twice, directly and from npm, which passes it on: both are one stop.
import os from 'node:os';

/** How long after a signal another is still the same one. */
const togetherMilliseconds = 250;

export function onStopSignal(stop: () => Promise<void>): void {
  let state: 'serving' | 'told' | 'stopping' = 'serving';
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (state === 'stopping') process.exit(128 + os.constants.signals[signal]);
      if (state === 'told') return;
      state = 'told';
      setTimeout(() => {
        state = 'stopping';
        void stop().then(() => process.exit(0));
      }, togetherMilliseconds);
    });
  }
}
