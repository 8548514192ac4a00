// `npm test`: every test there is, or those named: `npm test -- tests/identity.test.ts`.
//
// Tests have deadlines. On a machine whose processor was given to others meanwhile (a shared host tells), files that
// failed are run once more, one at a time, and the last lines name them. On a quiet machine nothing is run twice.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { processorTicks, withheldShare } from './test/processor.js';

const maxWithheld = 0.1;
const slowestShown = 10;

const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith('-'));
const options = args.filter((argument) => argument.startsWith('-'));
const files =
  named.length > 0 ? named : ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.js'];
// What tests leave behind, those that kill programs above all, goes with it. Other users run some of what lies in it.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-'));
fs.chmodSync(folder, 0o755);

/** @typedef {{ file: string, success: boolean, seconds: number }} Outcome */

/** @param {string[]} patterns @param {number} concurrency @returns {{ status: number, outcomes: Outcome[] }} */
function run(patterns, concurrency) {
  const told = path.join(folder, 'outcomes');
  const reporters = options.some((option) => option.startsWith('--test-reporter'))
    ? []
    : ['--test-reporter=spec', '--test-reporter-destination=stdout'].concat(
        `--test-reporter=${new URL('test/outcomes.js', import.meta.url)}`,
        `--test-reporter-destination=${told}`,
      );
  const { status } = spawnSync(
    process.execPath,
    ['--test', `--test-concurrency=${concurrency}`, '--test-timeout=180000', ...reporters, ...options, ...patterns],
    { stdio: 'inherit', env: { ...process.env, TMPDIR: folder } },
  );
  const lines = fs.existsSync(told) ? fs.readFileSync(told, 'utf8').trim().split('\n').filter(Boolean) : [];
  fs.rmSync(told, { force: true });
  return { status: status ?? 1, outcomes: lines.map((line) => JSON.parse(line)) };
}

/** @param {Outcome[]} outcomes */
function failed(outcomes) {
  return outcomes.filter(({ success }) => !success).map(({ file }) => path.relative('', file));
}

/** @param {string} text */
const say = (text) => process.stdout.write(`${text}\n`);

const before = processorTicks();
const first = run(files, 2);
const withheld = withheldShare(before, processorTicks());
const percent = Math.round(100 * withheld);
process.exitCode = first.status;

if (first.outcomes.length > slowestShown) {
  say(`\nThe longest of ${first.outcomes.length} files:`);
  for (const { file, seconds } of first.outcomes.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestShown)) {
    say(`  ${seconds.toFixed(0).padStart(4)} s  ${path.relative('', file)}`);
  }
  if (percent > 0) say(`${percent} % of the processor time that was wanted went to others.`);
}

const again = failed(first.outcomes);
if (first.status !== 0 && again.length > 0 && withheld > maxWithheld) {
  say(
    `\n${again.length} files failed while ${percent} % of the processor was withheld; they run once more, one at a time.`,
  );
  const second = run(again, 1);
  process.exitCode = second.status;
  const still = failed(second.outcomes);
  say(`\nGreen at the second attempt: ${again.filter((file) => !still.includes(file)).join(', ') || 'none'}`);
  if (still.length > 0) say(`Red both times: ${still.join(', ')}`);
}

fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
