// uv: the user's own when it is on the path, otherwise a locked one from the Python package index in our own folder.
import fs from 'node:fs';
import path from 'node:path';
import { foldersOnPath, isShims } from './interpreters.js';
import { root, tools } from './places.js';
import { findPython } from './python.js';
import { SetupError } from './report.js';
import { looksOffline, run } from './run.js';
import { fingerprint, readStamp, writeStamp } from './stamp.js';

const folder = path.join(tools, 'uv');
const requirements = path.join(root, 'scripts/setup/uv-requirements.txt');

/** @param {import('./interpreters.js').Variables} [env] @returns {string | undefined} the uv to use */
export function findUv(env = process.env) {
  for (const place of foldersOnPath(env)) {
    const file = path.join(place, 'uv');
    if (fs.existsSync(file)) return (isShims(place) ? realUv(path.dirname(place)) : undefined) ?? file;
  }
  const own = path.join(folder, 'bin/uv');
  return readStamp(folder) === fingerprint([requirements]) && fs.existsSync(own) ? own : undefined;
}

/** Instead of a version manager's script, which needs a shell and may refuse a folder. @param {string} manager */
function realUv(manager) {
  return ['versions', 'installs/uv']
    .flatMap((place) => namesIn(path.join(manager, place)))
    .flatMap((version) => [version, path.join(version, 'bin'), ...namesIn(version)])
    .map((folder) => path.join(folder, 'uv'))
    .find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** @param {string} folder @returns {string[]} */
function namesIn(folder) {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return []; // not there, or no folder
  }
}

export const uvStep = {
  title: 'Installing uv',
  isDone: async () => findUv() !== undefined,

  /** @param {import('./report.js').Progress} progress */
  async run(progress) {
    const python = await findPython();
    if (!python) throw new SetupError('uv needs a Python to be installed with.', 'Install Python 3.10 or newer.');
    fs.rmSync(folder, { recursive: true, force: true });
    const pip = ['-m', 'pip', 'install', '--no-deps', '--require-hashes', '-r', requirements, '--target', folder];
    const { code, tail } = await run(python.command, pip, { progress, env: { PIP_DISABLE_PIP_VERSION_CHECK: '1' } });
    if (code !== 0) {
      const remedy = looksOffline(tail)
        ? 'No Python package index could be reached. Check the network and run the same command again.'
        : `Install uv yourself so that it is on the path, or give ${python.command} its pip (Debian: apt install python3-pip).`;
      throw new SetupError(`uv could not be installed.\n${tail}`, remedy);
    }
    writeStamp(folder, fingerprint([requirements]));
  },
};
