// The worker program. This version has none yet and says so; its settings are already known and checked.
import { describeProblems, loadWorkerSettings, SettingsError } from '../settings/index.ts';

try {
  loadWorkerSettings({ env: process.env, cwd: process.cwd() });
  process.stderr.write('svc-worker: this version of svc does not run cells on workers yet.\n');
  process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${describeProblems(error)}\n`);
  process.exitCode = 2;
}
