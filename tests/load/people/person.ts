// Somebody who works with the service: a step, a pause to think, the next step, until the load is over.
import { setTimeout as pause } from 'node:timers/promises';
import type { RandomSource } from '../../kit/random.ts';
import { blame, type Ledger } from '../ledger.ts';

export interface Person {
  readonly random: RandomSource;
  /** From how long to how long it thinks, in milliseconds. */
  readonly thinks: readonly [number, number];
  step(): Promise<void>;
}

/** An answer that no load excuses. */
export class Wrong extends Error {}

export async function keepOn({ random, thinks: [least, most], step }: Person, ledger: Ledger, over: AbortSignal) {
  const think = (): Promise<unknown> =>
    pause(least + random.below(most - least + 1), undefined, { signal: over }).catch(() => {});
  // Nobody begins at the same moment as all the others.
  await pause(random.below(most), undefined, { signal: over }).catch(() => {});
  while (!over.aborted) {
    try {
      await step();
    } catch (error) {
      if (!over.aborted || error instanceof Wrong) blame(ledger, String(error).slice(0, 300));
    }
    await think();
  }
}
