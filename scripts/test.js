// `npm test`: every test there is, or those named: `npm test -- tests/identity.test.ts`.
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith('-'));
const options = args.filter((argument) => argument.startsWith('-'));
const files =
  named.length > 0 ? named : ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.js'];
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=180000', ...options, ...files],
  {
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
