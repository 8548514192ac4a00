// Rounds, one after the other, each with the seed after that of the last.
import type { Fault } from './fault.ts';
import { type Outcome, playRound } from './round.ts';
import { openSurroundings } from './surroundings.ts';

export interface Rounds {
  readonly rounds: number;
  readonly firstSeed: number;
  /** Among which seeds choose. */
  readonly faults: readonly Fault[];
  /** Whether to say what the load was answered. */
  readonly counts?: boolean;
  say(text: string): void;
  mayBegin?(): boolean;
  onRound?(outcome: Outcome): void;
  onLeftOut?(fault: Fault, why: string): void;
}

export async function playRounds(options: Rounds): Promise<Outcome[]> {
  const { rounds, firstSeed, faults, say } = options;
  const outcomes: Outcome[] = [];
  await using surroundings = await openSurroundings(say);
  for (let seed = firstSeed; seed < firstSeed + rounds && (options.mayBegin?.() ?? true); seed++) {
    const fault = faults[seed % faults.length];
    if (!fault) break;
    const why = fault.unavailable?.();
    if (why !== undefined) {
      options.onLeftOut?.(fault, why);
      continue;
    }
    const outcome = await playRound(surroundings, fault, seed);
    outcomes.push(outcome);
    options.onRound?.(outcome);
    for (const line of linesOf(outcome, options.counts ?? false)) say(line);
  }
  return outcomes;
}

function linesOf({ seed, fault, told, findings, answersAfterMs, counts, home }: Outcome, shows: boolean): string[] {
  const isWell = findings.length === 0;
  return [
    `${isWell ? '✔' : '✖'} ${seed} ${fault}: ${told}; answers after ${answersAfterMs?.toFixed(0)} ms`,
    ...(shows ? [...counts].map(([what, times]) => `    ${times} × ${what}`) : []),
    ...findings.map((finding) => `    ${finding}`),
    ...(isWell
      ? []
      : [`    kept in ${home}; again: npm run test:faults -- --rounds 1 --seed ${seed} --fault ${fault}`]),
  ];
}
