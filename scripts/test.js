// `npm test`: every test there is, or those named: `npm test -- tests/identity.test.ts`.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith('-'));
const options = args.filter((argument) => argument.startsWith('-'));
const files =
  named.length > 0 ? named : ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.js'];
// What tests leave behind, those that kill programs above all, goes with it. Other users run some of what lies in it.
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-'));
fs.chmodSync(folder, 0o755);
const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=180000', ...options, ...files],
  { stdio: 'inherit', env: { ...process.env, TMPDIR: folder } },
);
fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
process.exitCode = status ?? 1;
