import type { Fault } from '../fault.ts';
import { clockJump } from './clock.ts';
import { outOfDescriptors } from './descriptors.ts';
import { fullDisk, readOnlyDisk } from './disks.ts';
import { memoryKiller } from './memory.ts';
import { neighbourFaults } from './neighbours.ts';
import { processFaults } from './processes.ts';
import { serverKilled } from './server.ts';
import { slowDisk } from './slowDisk.ts';

/** In the order in which seeds choose among them. */
export const allFaults: readonly Fault[] = [
  serverKilled,
  ...processFaults,
  ...neighbourFaults,
  fullDisk,
  readOnlyDisk,
  outOfDescriptors,
  clockJump,
  memoryKiller,
  slowDisk,
];
