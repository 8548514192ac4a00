// One test file in a process of its own: its output as a whole, what it counted, and how long it took.
import { spawn } from 'node:child_process';

/** A test that hangs ends after this time; so does a file, whatever it hangs in. */
const testSeconds = 600;
const fileSeconds = 900;

const compiled = `--import=${new URL('./compiled.js', import.meta.url)}`;

/** Groups of files that run: a terminal's Ctrl-C does not reach them by itself. */
const running = new Set();

/** Ends every file that runs, with all that it started. */
export function endFiles() {
  for (const pid of running) endGroup(pid);
}

/**
 * @typedef {{ file: string, isGreen: boolean, seconds: number, passed: number, failed: number, skipped: number,
 *   output: string }} Outcome
 */

/** @param {string} file @param {readonly string[]} options @param {NodeJS.ProcessEnv} env @returns {Promise<Outcome>} */
export async function runFile(file, options, env) {
  const began = Date.now();
  const args = [
    '--test',
    '--test-isolation=none',
    `--test-timeout=${testSeconds * 1000}`,
    '--test-reporter=spec',
    compiled,
  ];
  const child = spawn(process.execPath, [...args, ...options, file], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a file that hangs is ended with all that it started.
    detached: true,
  });
  if (child.pid !== undefined) running.add(child.pid);
  /** @type {Buffer[]} */
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const timer = setTimeout(() => {
    chunks.push(Buffer.from(`\nThis file was ended: it took longer than ${fileSeconds} s.\n`));
    endGroup(child.pid);
  }, fileSeconds * 1000);
  const status = await new Promise((resolve) => {
    child.on('error', (problem) => {
      chunks.push(Buffer.from(`${problem.message}\n`));
      resolve(1);
    });
    // A program that a test left behind may hold the pipe: the file is over when its own process is.
    child.on('exit', (code) => setImmediate(() => resolve(code ?? 1)));
  });
  clearTimeout(timer);
  running.delete(child.pid);
  const output = Buffer.concat(chunks).toString('utf8');
  /** @param {string} what */
  const counted = (what) => Number(output.match(new RegExp(`^ℹ ${what} (\\d+)$`, 'm'))?.[1] ?? 0);
  return {
    file,
    isGreen: status === 0,
    seconds: (Date.now() - began) / 1000,
    passed: counted('pass'),
    failed: counted('fail') + counted('cancelled'),
    skipped: counted('skipped'),
    output,
  };
}

/** @param {number | undefined} pid */
function endGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
