// Brings everything a command needs onto this machine: packages, the built programs, uv, the engine's Python environment.
// Plain JavaScript without dependencies, because it runs before anything is installed, on whatever Node is there.
// Idempotent: each step knows by a stamp whether its work is already done.
import { constants } from 'node:os';
import { buildStep } from './setup/build.js';
import { engineStep } from './setup/engine.js';
import { withLock } from './setup/lock.js';
import { modulesStep } from './setup/modules.js';
import { pythonStep } from './setup/python.js';
import { createReporter, SetupError } from './setup/report.js';
import { endRunning } from './setup/run.js';
import { uvStep } from './setup/uv.js';
import { webStep } from './setup/web.js';

/** Which steps each command needs. `start` leaves the engine to the server, which prepares it while it already serves. */
const purposes = {
  modules: [modulesStep],
  command: [modulesStep, buildStep],
  check: [modulesStep, pythonStep],
  start: [modulesStep, buildStep, webStep],
  // Run by a server while it serves: it must never touch the packages that the server runs on.
  engine: [pythonStep, uvStep, engineStep],
  // Run by a server on the machine of a worker that it copied there.
  python: [pythonStep],
  uv: [pythonStep, uvStep],
  test: [modulesStep, buildStep, webStep, pythonStep, uvStep, engineStep],
  bench: [modulesStep, buildStep, webStep, pythonStep, uvStep, engineStep],
};

/** @param {string} name @returns {name is keyof typeof purposes} */
const isPurpose = (name) => Object.hasOwn(purposes, name);

async function main() {
  const args = process.argv.slice(2);
  const purpose = args.includes('--for') ? (args[args.indexOf('--for') + 1] ?? '') : 'start';
  if (!isPurpose(purpose)) {
    throw new SetupError(
      `There is no setup for '${purpose}'.`,
      `Use --for with one of: ${Object.keys(purposes).join(', ')}.`,
    );
  }
  const report = createReporter({ quiet: args.includes('--quiet') });
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new SetupError(
      `Node ${process.versions.node} is too old.`,
      'Install Node 20 or newer, then run the same command again.',
    );
  }
  const pending = [];
  for (const step of purposes[purpose]) if (!(await step.isDone())) pending.push(step);
  if (pending.length === 0) return;
  await withLock(report, async () => {
    for (const step of purposes[purpose]) {
      // Asked again, now under the lock: another command may have done the work, and steps build on earlier ones.
      if (!(await step.isDone())) await report.step(step.title, (progress) => step.run(progress));
    }
  });
}

/** @param {number} code */
function abandon(code) {
  endRunning();
  process.exit(code);
}
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
  process.on(signal, () => abandon(128 + constants.signals[signal]));
// A signal to npm ends the shell between npm and this process, which hears nothing of it but has a new parent then.
const parent = process.ppid;
setInterval(() => process.ppid === parent || abandon(128 + constants.signals.SIGTERM), 500).unref();

/** @param {unknown} error @returns {unknown} what the system refuses, in words */
const inWords = (error) =>
  error instanceof Error && 'syscall' in error
    ? new SetupError(
        `Setup cannot work in this checkout: ${error.message}`,
        'Make the checkout and its `.tools` folder yours to write, or delete `.tools`, and run the same command again.',
      )
    : error;

main().catch((thrown) => {
  const error = inWords(thrown);
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n✗ ${error.message}\n${error.remedy ? `  ${error.remedy.replaceAll('\n', '\n  ')}\n` : ''}`);
  process.exitCode = 1;
});
