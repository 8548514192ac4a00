// `npm run test:faults`: faults under load, one a round. Options: --rounds N (20), --seed S (a random one), --fault NAME (only this
// one; otherwise the seed of a round chooses), --minutes M (no round is begun later), --report FILE (writes what was found, as
// docs/reliability.md has it).
import { parseArgs } from 'node:util';
import { newSeed } from '../kit/random.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './faults/index.ts';
import { createTally, type Tally, writeReport } from './report.ts';
import { playRound } from './round.ts';
import { openSurroundings } from './surroundings.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    minutes: { type: 'string' },
    report: { type: 'string' },
    counts: { type: 'boolean', default: false },
  },
});
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const rounds = Number(values.rounds);
const first = values.seed === undefined ? newSeed() : Number(values.seed);
const endsAt = values.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(values.minutes) * 60_000;
const only = allFaults.filter(({ name }) => values.fault === undefined || name === values.fault);
if (only.length === 0 || !Number.isInteger(first) || !(rounds > 0)) {
  say(`Faults are ${allFaults.map(({ name }) => name).join(', ')}; rounds and seed are whole numbers.`);
  process.exit(2);
}

const tally: Tally = createTally(first);
await using surroundings = await openSurroundings(say);
for (let round = 0; round < rounds && Date.now() < endsAt; round++) {
  const seed = first + round;
  const fault = only[seed % only.length] as Fault;
  const why = fault.unavailable?.();
  if (why !== undefined) {
    tally.leaveOut(fault, why);
    continue;
  }
  const outcome = await playRound(surroundings, fault, seed);
  tally.add(outcome);
  const { told, findings, answersAfterMs, counts, home } = outcome;
  say(
    `${findings.length === 0 ? '✔' : '✖'} ${seed} ${fault.name}: ${told}; answers after ${answersAfterMs?.toFixed(0)} ms`,
  );
  if (values.counts) for (const [what, times] of counts) say(`    ${times} × ${what}`);
  for (const finding of findings) say(`    ${finding}`);
  if (findings.length > 0)
    say(`    kept in ${home}; again: npm run test:faults -- --rounds 1 --seed ${seed} --fault ${fault.name}`);
  if (values.report !== undefined) await writeReport(values.report, tally, allFaults);
}
say(tally.summary());
if (tally.findings() > 0) process.exitCode = 1;
