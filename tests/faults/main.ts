// `npm run test:faults`: faults under load, one a round. Options: --rounds N (20), --seed S (a random one; each round takes the
// next), --fault NAME (only this one; otherwise the seed of a round chooses), --minutes M (no round is begun later), --record FILE
// (a line a round is added), --report FILE (docs/reliability.md, of all that is recorded), --add (to what that report counts: its
// records are gone), --counts (what the load was answered).
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { newSeed } from '../kit/random.ts';
import { sectionOf } from '../kit/section.ts';
import { loadSection } from '../load/report.ts';
import { soakSection } from '../load/soak.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './faults/index.ts';
import { appendRecord, type Recorded, readEarlier, readRecords, recordOf, reportOf, summaryOf } from './report.ts';
import { playRounds } from './rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    record: { type: 'string' },
    report: { type: 'string' },
    add: { type: 'boolean', default: false },
    counts: { type: 'boolean', default: false },
  },
});
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const rounds = Number(values.rounds);
const firstSeed = values.seed === undefined ? newSeed() : Number(values.seed);
const faults = allFaults.filter(({ name }) => values.fault === undefined || name === values.fault);
if (faults.length === 0 || !Number.isInteger(firstSeed) || !(rounds >= 0)) {
  say(`Faults are ${allFaults.map(({ name }) => name).join(', ')}; rounds and seed are whole numbers.`);
  process.exit(2);
}

const endsAt = Date.now() + Number(values.minutes) * 60_000;
const leftOut = new Map<string, string>();
const records: Recorded[] = [];
await playRounds({
  rounds,
  firstSeed,
  faults,
  say,
  counts: values.counts,
  mayBegin: () => Date.now() < endsAt,
  onLeftOut: (fault: Fault, why) => leftOut.set(fault.name, why),
  onRound(outcome) {
    records.push(recordOf(outcome));
    if (values.record !== undefined) appendRecord(values.record, recordOf(outcome));
  },
});
say(summaryOf(records));
for (const [name, why] of leftOut) say(`Left out: ${name}, ${why}`);
if (values.report !== undefined) {
  const all = values.record === undefined ? records : readRecords(values.record);
  const page = fs.readFileSync(values.report, 'utf8');
  const others = [loadSection, soakSection].flatMap((title) => sectionOf(page, title) ?? []);
  const report = reportOf(all, allFaults, leftOut, values.add ? readEarlier(page) : undefined);
  fs.writeFileSync(values.report, `${[report, ...others].map((part) => part.trim()).join('\n\n')}\n`);
}
if (records.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
