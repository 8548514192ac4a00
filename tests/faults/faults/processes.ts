// kill -9 of processes that the server started and has to replace by itself.
import type { Fault } from '../fault.ts';
import { processesIn, type Role } from '../tree.ts';

const killed = (name: string, role: Role, says: string): Fault => ({
  name,
  says,
  lastsBelow: 400,
  async strike({ server, random }) {
    const pids = processesIn(role, server.process.pid ?? 0);
    // One of them, or all at once.
    const chosen = random.below(3) === 0 ? pids : pids.slice(0, 1);
    for (const pid of chosen) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // it has just ended by itself
      }
    }
    return { what: `${chosen.length} of ${pids.length} ${role} processes`, lift: async () => {} };
  },
});

export const processFaults: readonly Fault[] = [
  killed('data-engine', 'data engine', 'kill -9 of one or all processes that read tables'),
  killed('analysis-engine', 'analysis engine', 'kill -9 of the process that analyses sources'),
  killed('zygote', 'zygote', 'kill -9 of the process that cells are forked from'),
  killed('cell', 'cell', 'kill -9 of processes that run a cell or wait for one'),
];
