// The browser app, built once for the sources that are there.
import fs from 'node:fs';
import path from 'node:path';
import { nodeBinary, root, webBuild, webSources } from './places.js';
import { SetupError } from './report.js';
import { run } from './run.js';
import { fingerprint, readStamp, writeStamp } from './stamp.js';

/** @param {string} folder @returns {string[]} */
function filesOf(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'dist' && entry.name !== 'node_modules')
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? filesOf(file) : [file];
    })
    .sort();
}

const wanted = () => fingerprint([...filesOf(webSources), path.join(root, 'package-lock.json')]);

export const webStep = {
  title: 'Building the web app',
  isDone: async () => readStamp(webBuild) === wanted(),

  /** @param {import('./report.js').Progress} progress */
  async run(progress) {
    const vite = path.join(root, 'node_modules/.bin/vite');
    const { code, tail } = await run(nodeBinary, [vite, 'build', webSources], { progress });
    if (code !== 0)
      throw new SetupError(
        `The web app could not be built.\n${tail}`,
        'Run `npm run build:web` to see the whole output.',
      );
    writeStamp(webBuild, wanted());
  },
};
