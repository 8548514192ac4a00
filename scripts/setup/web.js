// The browser app, built once for the sources that are there.
import fs from 'node:fs';
import path from 'node:path';
import { nodeBinary, root, webBuild, webSources } from './places.js';
import { SetupError } from './report.js';
import { run } from './run.js';
import { filesOf, fingerprint, readStamp, writeStamp } from './stamp.js';

/** What the page shares with the server lies beside its own sources. */
const shared = () => [
  ...filesOf(path.join(root, 'src/model')),
  ...filesOf(path.join(root, 'src/protocol')),
  ...fs
    .readdirSync(path.join(root, 'src'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(root, 'src', name))
    .sort(),
  path.join(root, 'clients/typescript/src/transport.ts'),
];

const wanted = () => fingerprint([...filesOf(webSources), ...shared(), path.join(root, 'package-lock.json')]);

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
