// What `npm start` does before it starts anything, on a checkout where nothing changed.
import path from 'node:path';
import { root } from '../../scripts/setup/places.js';
import type { Line, Measure } from '../line.ts';

function timeOf(args: readonly string[]): Measure {
  return async ({ sandbox }) => {
    const began = performance.now();
    const child = await sandbox.start(process.execPath, args, { cwd: root, env: process.env });
    if ((await child.ended) !== 0) throw new Error(`Setup failed: ${child.lastOutput()}`);
    return performance.now() - began;
  };
}

export const unchangedSetup: Line = {
  name: 'setup when nothing changed',
  unit: 'ms',
  budget: { atMost: 300 },
  warmUp: true,
  ours: timeOf([path.join(root, 'scripts/setup.js')]),
  limits: { 'Node that does nothing': timeOf(['-e', '0']) },
};
