import type { Fault } from '../fault.ts';
import { neighbourFaults } from './neighbours.ts';
import { processFaults } from './processes.ts';
import { serverKilled } from './server.ts';

/** In the order in which seeds choose among them. */
export const allFaults: readonly Fault[] = [serverKilled, ...processFaults, ...neighbourFaults];
