// `npm run check`: the inner loop. Types, lint and unit tests, without servers. `-- --no-tests` leaves the tests to
// `npm test`, which runs them too.
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const lintOptions = args.filter((argument) => argument !== '--no-tests');

/** @type {[name: string, command: string, args: string[]][]} */
const steps = [
  ['types', 'node_modules/.bin/tsc', ['--noEmit']],
  ['types of the web app', 'node_modules/.bin/tsc', ['--noEmit', '-p', 'web']],
  ['lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings', ...lintOptions]],
  [
    'unit tests',
    process.execPath,
    ['--test', '--test-reporter=dot', '--test-timeout=120000', 'src/**/*.test.ts', 'web/src/**/*.test.ts'],
  ],
];

const began = Date.now();
for (const [name, command, commandArgs] of steps) {
  if (name === 'unit tests' && args.includes('--no-tests')) continue;
  const { status } = spawnSync(command, commandArgs, { stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`✗ ${name}\n`);
    process.exit(1);
  }
  process.stderr.write(`✓ ${name}\n`);
}
process.stderr.write(`All well in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
