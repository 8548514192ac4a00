// `npm run check`: the inner loop. Types, lint and unit tests, without servers.
import { spawnSync } from 'node:child_process';

/** @type {[name: string, command: string, args: string[]][]} */
const steps = [
  ['types', 'node_modules/.bin/tsc', ['--noEmit']],
  ['types of the web app', 'node_modules/.bin/tsc', ['--noEmit', '-p', 'web']],
  ['lint', 'node_modules/.bin/biome', ['check', '--error-on-warnings', ...process.argv.slice(2)]],
  [
    'unit tests',
    process.execPath,
    ['--test', '--test-reporter=dot', '--test-timeout=60000', 'src/**/*.test.ts', 'web/src/**/*.test.ts'],
  ],
];

const began = Date.now();
for (const [name, command, args] of steps) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write(`✗ ${name}\n`);
    process.exit(1);
  }
  process.stderr.write(`✓ ${name}\n`);
}
process.stderr.write(`All well in ${((Date.now() - began) / 1000).toFixed(1)} s\n`);
