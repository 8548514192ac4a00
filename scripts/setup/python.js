// Finds the newest Python on this machine that the engine can run on, and remembers it. Never installs one.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { interpretersHere, newestMinor, oldestMinor } from './interpreters.js';
import { tools } from './places.js';
import { SetupError } from './report.js';

/** @typedef {{ command: string, version: [number, number, number] }} Python */

/** On a busy machine even one in order may take longer than ten seconds to start, and must not count as missing. */
const patienceMilliseconds = 60_000;
const memory = path.join(tools, 'python.json');

/**
 * Its own path and version; null where it is too old, undefined where it does not run.
 * @param {string} command
 * @returns {Promise<Python | null | undefined>}
 */
export function askPython(command) {
  const program = 'import sys; print(sys.executable); print(*sys.version_info[:3])';
  return new Promise((resolve) => {
    execFile(command, ['-I', '-S', '-c', program], { timeout: patienceMilliseconds }, (error, stdout) => {
      const [executable = '', version = ''] = stdout.trim().split('\n');
      const [major = 0, minor = 0, patch = 0] = version.split(' ').map(Number);
      if (error || executable === '') resolve(undefined);
      else
        resolve(major === 3 && minor >= oldestMinor ? { command: executable, version: [major, minor, patch] } : null);
    });
  });
}

/** Versions beyond those that are known come last. @param {Python} a @param {Python} b */
export const newestFirst = (a, b) => rank(b) - rank(a);

/** @param {Python} python */
const rank = ({ version: [, minor, patch] }) => (minor <= newestMinor ? minor * 1000 + patch : 0);

/** @returns {Promise<Python[]>} every usable interpreter of this machine, newest first */
async function findPythons() {
  const { files, shims } = await interpretersHere();
  const answers = await Promise.all([...files, ...shims].map(askPython));
  return answers.filter((python) => python !== undefined && python !== null).sort(newestFirst);
}

/** @returns {Promise<Python | undefined>} the newest usable interpreter */
export async function findPython() {
  const known = remembered();
  if (known) return known;
  const [best] = await findPythons();
  if (best) {
    fs.mkdirSync(tools, { recursive: true });
    fs.writeFileSync(`${memory}.new`, JSON.stringify({ ...best, seen: identity(best.command) }));
    fs.renameSync(`${memory}.new`, memory);
  }
  return best;
}

/** @param {string} file changes when another interpreter takes this place */
function identity(file) {
  const { ino, size, mtimeMs } = fs.statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
}

/** @returns {Python | undefined} */
function remembered() {
  try {
    const { command, version, seen } = JSON.parse(fs.readFileSync(memory, 'utf8'));
    return identity(command) === seen ? { command, version } : undefined;
  } catch {
    return undefined;
  }
}

export const pythonStep = {
  title: 'Looking for Python',
  isDone: async () => remembered() !== undefined,
  async run() {
    if (await findPython()) return;
    throw new SetupError(
      'No Python 3.10 or newer was found on this machine.',
      'Install one and run the same command again (Debian: apt install python3; macOS: brew install python).',
    );
  },
};
