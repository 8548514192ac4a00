// Brings everything a command needs onto this machine: packages, the web app, uv, the engine's Python environment.
// Plain JavaScript without dependencies, because it runs before anything is installed, on whatever Node is there.
// Idempotent: each step knows by a stamp whether its work is already done.
import { engineStep } from './setup/engine.js';
import { withLock } from './setup/lock.js';
import { modulesStep } from './setup/modules.js';
import { pythonStep } from './setup/python.js';
import { createReporter, SetupError } from './setup/report.js';
import { uvStep } from './setup/uv.js';
import { webStep } from './setup/web.js';

/** Which steps each command needs. `start` leaves the engine to the server, which prepares it while it already serves. */
const purposes = {
  modules: [modulesStep],
  check: [modulesStep, pythonStep],
  start: [modulesStep, webStep],
  // Run by a server while it serves: it must never touch the packages that the server runs on.
  engine: [pythonStep, uvStep, engineStep],
  test: [modulesStep, webStep, pythonStep, uvStep, engineStep],
  bench: [modulesStep, webStep, pythonStep, uvStep, engineStep],
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

main().catch((error) => {
  if (!(error instanceof SetupError)) throw error;
  process.stderr.write(`\n✗ ${error.message}\n${error.remedy ? `  ${error.remedy.replaceAll('\n', '\n  ')}\n` : ''}`);
  process.exitCode = 1;
});
