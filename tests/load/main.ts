// `npm run test:load`: a service under load. Options: --minutes M (10), --seed S (a random one), --small (the counts of CI),
// --report FILE (docs/reliability.md: its section is written anew), --soak (rounds of opening, running and closing instead:
// what is alive when everybody has gone).
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { newSeed } from '../kit/random.ts';
import { withSection } from '../kit/section.ts';
import { playLoad } from './play.ts';
import { linesOf, loadSection, sectionOfLoad, verdictsOf } from './report.ts';
import { fullScale, smallScale, timingOf } from './scale.ts';
import { linesOfSoak, sectionOfSoak, soak, soakScale, soakSection } from './soak.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
    report: { type: 'string' },
    soak: { type: 'boolean', default: false },
  },
});
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
function write(title: string, text: string): void {
  if (values.report === undefined) return;
  fs.writeFileSync(values.report, withSection(fs.readFileSync(values.report, 'utf8'), title, text));
}
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? newSeed() : Number(values.seed);
if (!(minutes > 0) || !Number.isInteger(seed)) {
  say('Minutes are a number above 0, and the seed is a whole number.');
  process.exit(2);
}
if (values.soak) {
  const end = performance.now() + minutes * 60_000;
  const soaked = await soak({ scale: soakScale, seed, isOver: () => performance.now() > end }, say);
  for (const line of linesOfSoak(soaked)) say(line);
  write(soakSection, sectionOfSoak(soaked));
  process.exit(soaked.findings.length > 0 ? 1 : 0);
}
const outcome = await playLoad({ scale: values.small ? smallScale : fullScale, timing: timingOf(minutes), seed }, say);
for (const line of linesOf(outcome)) say(line);
write(loadSection, sectionOfLoad(outcome));
if (verdictsOf(outcome).some(({ isKept }) => isKept === false)) process.exitCode = 1;
