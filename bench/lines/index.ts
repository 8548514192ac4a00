// Every line, in the order in which they are measured. A new one is a file beside this and an entry here.
import type { Line } from '../line.ts';
import { memoryAfterLoad, serverMemory } from './memory.ts';
import { firstDescription, laterDescription } from './openapi.ts';
import { unchangedSetup } from './setup.ts';
import { serverStart } from './start.ts';
import { healthThroughput, ordinaryThroughput } from './throughput.ts';

export const lines: readonly Line[] = [
  serverStart,
  serverMemory,
  memoryAfterLoad,
  healthThroughput,
  ordinaryThroughput,
  unchangedSetup,
  firstDescription,
  laterDescription,
];
