// Somebody who works with the service while the fault happens: one step after the other until told to stop.
import { setTimeout as pause } from 'node:timers/promises';
import type { RandomSource } from '../../kit/random.ts';
import type { Answer } from '../../kit/rest.ts';
import { count, type Ledger } from '../ledger.ts';
import type { World } from '../world.ts';

export interface Desk {
  readonly world: World;
  readonly ledger: Ledger;
  readonly random: RandomSource;
  /** Unlike any other of the round. */
  number(): number;
}

/** One step; it rejects when the connection broke, which a fault may do. */
export type Step = (desk: Desk) => Promise<void>;

/** An answer that no fault excuses. */
export class Wrong extends Error {}

/** Whether it was done; a refusal is counted by what it said. */
export function wasDone(ledger: Ledger, what: string, answer: Answer): boolean {
  if (answer.status === 200) {
    count(ledger, what);
    return true;
  }
  if (answer.status >= 500 && answer.status !== 503)
    ledger.wrong.push(`${what} was answered with ${answer.status}: ${answer.text.slice(0, 300)}`);
  count(ledger, `${what} refused (${answer.status}: ${answer.text.slice(0, 120)})`);
  return false;
}

/** Whether an answer says that nothing was done, so that nothing of it may be there. */
export const saysNotDone = ({ status, text }: Answer): boolean =>
  status < 500 || (status === 503 && text.includes('this was not done'));

export async function keepOn(step: Step, desk: Desk, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    try {
      await step(desk);
    } catch (error) {
      if (error instanceof Wrong) desk.ledger.wrong.push(error.message);
      else count(desk.ledger, `broken off (${String(error).slice(0, 100)})`);
      await pause(20); // a server that is gone is not asked in a tight circle
    }
    await pause(desk.random.below(40));
  }
}
