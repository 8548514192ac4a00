// The programs, built once for the sources that are there.
import path from 'node:path';
import { build, engineRequirements, nodeBinary, root, sources } from './places.js';
import { SetupError } from './report.js';
import { run } from './run.js';
import { dateStamp, filesOf, fingerprint, readStamp, writeStamp } from './stamp.js';

const builder = path.join(root, 'scripts/build.js');
const shipped = () => filesOf(sources).filter((file) => !/\.test\.[jt]s$/.test(file));
const parts = path.join(root, 'scripts/sbom.js');
const wanted = () =>
  fingerprint([
    ...shipped(),
    builder,
    parts,
    engineRequirements,
    path.join(root, 'package.json'),
    path.join(root, 'package-lock.json'),
  ]);

export const buildStep = {
  title: 'Building the server',
  async isDone() {
    const began = new Date();
    if (readStamp(build) !== wanted()) return false;
    // Sources that were checked out anew are younger than what was built of the same text; whoever starts looks at times alone.
    dateStamp(build, began);
    return true;
  },

  /** @param {import('./report.js').Progress} progress */
  async run(progress) {
    const [began, inputs] = [new Date(), wanted()];
    const { code, tail } = await run(nodeBinary, [builder], { progress });
    if (code !== 0)
      throw new SetupError(
        `The server could not be built.\n${tail}`,
        'Run `node_modules/.bin/node scripts/build.js` to see the whole output.',
      );
    writeStamp(build, inputs);
    dateStamp(build, began);
  },
};
