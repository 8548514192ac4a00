// Runs one outside program for a step: its lines become progress, its last lines explain a failure.
import { spawn } from 'node:child_process';
import { root } from './places.js';

/** @typedef {{ code: number | null, tail: string }} Outcome */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/** Ends what runs now, so that nothing goes on working in the checkout after setup itself has gone. */
export function endRunning() {
  for (const child of running) child.kill();
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, progress?: (line: string) => void }} [options]
 * @returns {Promise<Outcome>}
 */
export function run(command, args, { env = {}, progress } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    /** @type {string[]} */
    const lines = [];
    let rest = '';
    /** @param {Buffer} chunk */
    const take = (chunk) => {
      const parts = (rest + chunk.toString()).split(/\r?\n|\r/);
      rest = parts.pop() ?? '';
      for (const line of parts.filter((part) => part.trim() !== '')) {
        lines.push(line);
        progress?.(line);
      }
      lines.splice(0, lines.length - 30);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => resolve({ code: null, tail: error.message }));
    child.on('close', (code) => resolve({ code, tail: [...lines, rest].filter(Boolean).slice(-12).join('\n') }));
  });
}

/** Words by which package clients say that no registry answered. @param {string} text */
export const looksOffline = (text) =>
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|network|dns error|Could not connect|NameResolution|error sending request/i.test(
    text,
  );
