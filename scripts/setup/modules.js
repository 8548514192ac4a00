// The npm packages, exactly as locked, and among them the Node that everything else runs on.
import fs from 'node:fs';
import path from 'node:path';
import { nodeBinary, root } from './places.js';
import { SetupError } from './report.js';
import { looksOffline, run } from './run.js';
import { fingerprint, readStamp, writeStamp } from './stamp.js';

const modules = path.join(root, 'node_modules');
const wanted = () =>
  fingerprint(
    [path.join(root, 'package.json'), path.join(root, 'package-lock.json')],
    [process.platform, process.arch],
  );

export const modulesStep = {
  title: 'Installing packages',

  async isDone() {
    return readStamp(modules) === wanted() && fs.existsSync(nodeBinary);
  },

  /** @param {import('./report.js').Progress} progress */
  async run(progress) {
    const { code, tail } = await run('npm', ['ci', '--no-progress', '--loglevel=error'], { progress });
    if (code !== 0) {
      throw new SetupError(
        `The packages could not be installed.\n${tail}`,
        looksOffline(tail)
          ? 'No package registry could be reached. Check the network (or npm’s `registry` setting) and run the same command again.'
          : 'Run `npm ci` by hand to see the whole output.',
      );
    }
    if (!fs.existsSync(nodeBinary)) adoptOwnNode();
    writeStamp(modules, wanted());
  },
};

/** No Node package exists for this platform (or npm left it out): the Node that runs this will do if it is new enough. */
function adoptOwnNode() {
  if (Number(process.versions.node.split('.')[0]) < 26) {
    throw new SetupError(
      `There is no packaged Node 26 for ${process.platform}-${process.arch}, and this one is ${process.versions.node}.`,
      'Install Node 26 or newer yourself and run the same command again.',
    );
  }
  fs.mkdirSync(path.dirname(nodeBinary), { recursive: true });
  fs.symlinkSync(process.execPath, nodeBinary);
}
