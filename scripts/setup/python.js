// Finds the newest Python on this machine that the engine can run on, and remembers it. Never installs one.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { tools } from './places.js';
import { SetupError } from './report.js';

/** @typedef {{ command: string, version: [number, number, number] }} Python */

const memory = path.join(tools, 'python.json');
const newestMinor = 14;
const oldestMinor = 10;

/** @returns {string[]} every place where an interpreter may be, likely newest first */
function candidates() {
  const names = [];
  for (let minor = newestMinor; minor >= oldestMinor; minor--) names.push(`python3.${minor}`);
  names.push('python3', 'python');
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter),
    '/usr/local/bin',
    '/opt/homebrew/bin',
    ...installedUnder(path.join(process.env.PYENV_ROOT ?? path.join(os.homedir(), '.pyenv'), 'versions')),
    ...installedUnder(path.join(os.homedir(), '.local/share/uv/python')),
  ];
  const found = names.flatMap((name) => folders.filter(Boolean).map((folder) => path.join(folder, name)));
  return [...new Set(found)].filter((file) => fs.existsSync(file));
}

/** @param {string} folder one folder per installed interpreter @returns {string[]} */
function installedUnder(folder) {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name, 'bin'));
  } catch {
    return [];
  }
}

/** @param {string} command @returns {Promise<Python | undefined>} its own path and version, if it runs */
function ask(command) {
  const program = 'import sys; print(sys.executable); print(*sys.version_info[:3])';
  return new Promise((resolve) => {
    execFile(command, ['-I', '-S', '-c', program], { timeout: 10_000 }, (error, stdout) => {
      const [executable = '', version = ''] = stdout.trim().split('\n');
      const [major = 0, minor = 0, patch = 0] = version.split(' ').map(Number);
      const fits = !error && major === 3 && minor >= oldestMinor;
      resolve(fits ? { command: executable, version: [major, minor, patch] } : undefined);
    });
  });
}

/** @returns {Promise<Python[]>} every usable interpreter of this machine, newest first; versions beyond those tried come last */
export async function findPythons() {
  const answers = await Promise.all(candidates().map(ask));
  const usable = answers.filter((python) => python !== undefined);
  /** @param {Python} python */
  const rank = ({ version: [, minor, patch] }) => (minor <= newestMinor ? minor * 1000 + patch : 0);
  return usable.sort((a, b) => rank(b) - rank(a));
}

/** @returns {Promise<Python | undefined>} the newest usable interpreter */
export async function findPython() {
  const known = remembered();
  if (known) return known;
  const [best] = await findPythons();
  if (best) {
    fs.mkdirSync(tools, { recursive: true });
    fs.writeFileSync(memory, JSON.stringify({ ...best, seen: identity(best.command) }));
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
