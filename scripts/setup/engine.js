// The engine's Python environment: pyarrow, pyiceberg and DuckDB, locked with hashes, in a folder of the checkout.
import fs from 'node:fs';
import { engineEnvironment, enginePython, engineRequirements } from './places.js';
import { findPython } from './python.js';
import { SetupError } from './report.js';
import { looksOffline, run } from './run.js';
import { fingerprint, readStamp, writeStamp } from './stamp.js';
import { findUv } from './uv.js';

/** @returns {Promise<string>} */
const wanted = async () => fingerprint([engineRequirements], [(await findPython())?.command ?? '']);

/** Whether the environment is there and was made for the requirements and the Python of now. */
export const engineIsReady = async () =>
  readStamp(engineEnvironment) === (await wanted()) && fs.existsSync(enginePython);

export const engineStep = {
  title: 'Preparing the data engine',
  isDone: engineIsReady,

  /** @param {import('./report.js').Progress} progress */
  async run(progress) {
    const uv = findUv();
    const python = await findPython();
    if (!uv || !python)
      throw new SetupError('The data engine needs uv and Python.', 'Run `npm test` or `npm start` again.');
    fs.rmSync(engineEnvironment, { recursive: true, force: true });
    const steps = [
      // The interpreter is named by its path, so that uv never looks for one to download.
      ['venv', '--python', python.command, engineEnvironment],
      ['pip', 'sync', '--python', enginePython, '--require-hashes', engineRequirements],
    ];
    for (const args of steps) {
      const { code, tail } = await run(uv, args, { progress });
      if (code === 0) continue;
      throw new SetupError(
        `The data engine could not be prepared.\n${tail}`,
        looksOffline(tail)
          ? 'No Python package index could be reached. Tables and transforms wait for it; everything else works.'
          : 'Run the same command again; if it fails the same way, the lines above are uv’s own reason.',
      );
    }
    writeStamp(engineEnvironment, await wanted());
  },
};
