// Waiting for what only shows when one asks: a process that has gone, a server that has noticed. Where an event tells of it, a
// test waits for the event instead.
import { setTimeout as pause } from 'node:timers/promises';

const pauseMilliseconds = 10;

/** Asks until it is so; after `seconds` throws an error that names `what` it waited for. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  { seconds = 120 }: { readonly seconds?: number } = {},
): Promise<void> {
  await untilGiven(async () => ((await condition()) ? true : undefined), what, { seconds });
}

/** The same, for something that is there once it is defined. */
export async function untilGiven<T>(
  ask: () => T | undefined | Promise<T | undefined>,
  what: string,
  { seconds = 120 }: { readonly seconds?: number } = {},
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`After ${seconds} s still waiting: ${what}`);
    await pause(pauseMilliseconds);
  }
}
