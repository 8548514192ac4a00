// The browser app, built once for the sources that are there.
import path from 'node:path';
import { nodeBinary, root, webBuild, webSources } from './places.js';
import { SetupError } from './report.js';
import { run } from './run.js';
import { filesOf, fingerprint, readStamp, writeStamp } from './stamp.js';

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
