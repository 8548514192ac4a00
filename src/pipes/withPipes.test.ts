// A process that may open no more files starts no other, and hears of it where it asked.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const door = new URL('./index.ts', import.meta.url);
const program = `
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { withPipes } from ${JSON.stringify(door.href)};
const open = [];
try { for (;;) open.push(fs.openSync('/dev/null')); } catch {}
try {
  withPipes(spawn('true'));
} catch ({ code, message }) {
  for (const one of open) fs.closeSync(one);
  process.on('exit', () => console.log(code, message));
}
`;

test('a program that cannot be started for want of files throws, and no event ends the process', async () => {
  const limited = 'ulimit -n 60; exec "$0" --input-type=module --eval "$1"';
  const { stdout } = await promisify(execFile)('sh', ['-c', limited, process.execPath, program]);
  assert.equal(stdout, 'EMFILE true could not be started: this process has as many files open as it may have\n');
});
