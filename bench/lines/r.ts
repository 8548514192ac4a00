// One R cell, from the frame that asks for it to the frame that calls it ready. The limit is R that runs the same line.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../../src/files/index.ts';
import { type Context, kept, type Line } from '../line.ts';
import { medianOf, openBenchSession } from '../notebooks/session.ts';
import { NotMeasured } from '../notMeasured.ts';

function rscript(): string {
  const found = findProgram('Rscript');
  if (found === undefined) throw new NotMeasured('Rscript is not on the path');
  return found;
}

const session = kept(async (context: Context) => {
  rscript();
  const opened = await openBenchSession(context, { sources: [{ language: 'r', source: 'y <- 2' }] });
  await opened.untilStatus(opened.cell(0), 'ready', 'cell_execute');
  return opened;
});

/** As between two runs of a person: another R has started meanwhile. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

export const warmRCell: Line = {
  name: 'trivial R cell, warm',
  unit: 'ms',
  budget: { atMost: 60 },
  warmUp: true,
  async ours(context) {
    const { cell, untilStatus } = await session(context);
    return medianOf(3, async () => {
      await pause();
      return untilStatus(cell(0), 'ready', 'cell_execute_force');
    });
  },
  limits: {
    'Rscript -e': async () => {
      const began = performance.now();
      await promisify(execFile)(rscript(), ['-e', 'y <- 2']);
      return performance.now() - began;
    },
  },
};
