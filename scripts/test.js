// `npm test`: every test there is, or those named: `npm test -- tests/identity.test.ts`. Options are those of Node's
// test runner: `npm test -- --test-name-pattern=artifact tests/data.test.ts`.
//
// Tests have deadlines. On a machine whose processor was given to others meanwhile (a shared host tells), files that
// failed are run once more, one at a time, and the last lines name them. On a quiet machine nothing is run twice.
// With SVC_TEST_MINUTES set, no file is begun after that time. That some were not reached is a failure, too, unless the
// processor was withheld; they are named.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endFiles, runFile } from './test/files.js';
import { idleShare, processorTicks, withheldShare } from './test/processor.js';

const atOnce = 2;
/** Many tests wait for programs: one more file begins whenever this share of the processor lay idle. */
const idleFrom = 0.3;
const idleSeconds = 2;
const slowestShown = 12;
/** The share of the processor from which on a machine counts as starved. */
const starvedFrom = 0.2;
const patterns = ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'scripts/**/*.test.js', 'tests/**/*.test.ts'];

/** @typedef {import('./test/files.js').Outcome} Outcome */

const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith('-'));
const options = args.filter((argument) => argument.startsWith('-'));
const files = (named.length > 0 ? named : patterns).flatMap((pattern) => fs.globSync(pattern).sort());
const began = Date.now();
const before = processorTicks();
const minutes = Number(process.env.SVC_TEST_MINUTES || Number.POSITIVE_INFINITY);

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);
/** @param {number} share */
const hasTime = (share = 1) => Date.now() - began < share * minutes * 60_000;
const withheld = () => withheldShare(before, processorTicks());
/** @param {number} share */
const percentOf = (share) => `${Math.round(100 * share)} %`;
const percent = () => percentOf(withheld());

/**
 * Runs them until there is no time left for another.
 * @param {readonly string[]} wanted @param {number} concurrency @param {() => boolean} mayBegin
 */
async function runAll(wanted, concurrency, mayBegin) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-'));
  // Other users run some of what lies in it.
  fs.chmodSync(folder, 0o755);
  // Without the bytecode that Python keeps beside its sources, every interpreter compiles all that it imports.
  const { PYTHONDONTWRITEBYTECODE: _, ...kept } = process.env;
  const env = { ...kept, TMPDIR: folder };
  const waiting = [...wanted];
  /** @type {Outcome[]} */
  const outcomes = [];
  /** @param {() => Promise<unknown>} ready */
  async function work(ready) {
    while (true) {
      await ready();
      const file = waiting.shift();
      if (file === undefined) return;
      if (!mayBegin()) {
        waiting.unshift(file);
        return;
      }
      const outcome = await runFile(file, options, env);
      outcomes.push(outcome);
      tell(outcome);
    }
  }
  const always = Array.from({ length: concurrency }, () => work(async () => {}));
  // Once the others find nothing to begin, there is nothing left for this one.
  const beside = concurrency > 1 ? [work(() => untilIdle(() => waiting.length === 0))] : [];
  await Promise.all([...always, ...beside]);
  // What tests leave behind, those that kill programs above all, goes with it.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { outcomes, notReached: waiting };
}

/**
 * Waits until enough of the processor lay idle for a while, or until nobody needs to know.
 * @param {() => boolean} isOver
 */
async function untilIdle(isOver) {
  while (!isOver()) {
    const since = processorTicks();
    await setTimeout(idleSeconds * 1000);
    if (idleShare(since, processorTicks()) >= idleFrom) return;
  }
}

/** @param {Outcome} outcome */
function tell({ file, isGreen, seconds, passed, failed, skipped, output }) {
  const counts = [
    `${passed} passed`,
    ...(failed ? [`${failed} failed`] : []),
    ...(skipped ? [`${skipped} skipped`] : []),
  ];
  say(`${isGreen ? '✔' : '✖'} ${file}: ${counts.join(', ')} (${seconds.toFixed(1)} s)`);
  if (!isGreen || files.length === 1) say(output);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    endFiles();
    process.exit(1);
  });
}
if (files.length === 0) {
  say(`There is no test file ${named.join(', ')}.`);
  process.exit(1);
}
const first = await runAll(files, atOnce, hasTime);
const isStarved = withheld() > starvedFrom;
let red = first.outcomes.filter(({ isGreen }) => !isGreen).map(({ file }) => file);
let green = first.outcomes.filter(({ isGreen }) => isGreen);

if (red.length > 0 && isStarved) {
  say(
    `\n${red.length} files failed while ${percent()} of the processor was withheld; they run once more, one at a time.`,
  );
  const second = await runAll(red, 1, () => hasTime(1.15));
  const mended = second.outcomes.filter(({ isGreen }) => isGreen);
  green = [...green, ...mended];
  red = red.filter((file) => !mended.some((outcome) => outcome.file === file));
  say(`Green at the second attempt: ${mended.map(({ file }) => file).join(', ') || 'none'}`);
}

if (first.outcomes.length > slowestShown) {
  say('\nThe longest files:');
  const slowest = first.outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown);
  for (const { file, seconds } of slowest) say(`${seconds.toFixed(0).padStart(6)} s  ${file}`);
}
/** @param {'passed' | 'failed' | 'skipped'} what */
const sum = (what) => green.reduce((total, outcome) => total + outcome[what], 0);
say(
  `\nℹ files ${files.length}\nℹ tests ${sum('passed') + sum('skipped')}\nℹ pass ${sum('passed')}\nℹ fail ${red.length} files`,
);
say(
  `ℹ skipped ${sum('skipped')}\nℹ minutes ${((Date.now() - began) / 60_000).toFixed(1)}, ${percent()} of the processor withheld, ${percentOf(idleShare(before, processorTicks()))} of it idle`,
);
if (red.length > 0) say(`\nRed:\n${red.map((file) => `  ${file}`).join('\n')}`);
if (first.notReached.length > 0) {
  say(`\nNot reached within ${minutes} minutes:\n${first.notReached.map((file) => `  ${file}`).join('\n')}`);
}
process.exitCode = red.length > 0 || (first.notReached.length > 0 && !isStarved) ? 1 : 0;
