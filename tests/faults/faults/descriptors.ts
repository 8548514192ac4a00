// The server may open nothing more for a while.
import { descriptorsMissing, limitDescriptors } from '../../kit/descriptors.ts';
import type { Fault } from '../fault.ts';

export const outOfDescriptors: Fault = {
  name: 'descriptors',
  says: 'the server may open none or a few more files and connections than it has open (prlimit)',
  lastsBelow: 1500,
  unavailable: descriptorsMissing,
  async strike({ server, random }) {
    const { limit, lift } = limitDescriptors(server.process.pid, random.below(4));
    return { what: `no more than ${limit} descriptors`, lift: async () => lift() };
  },
};
