// A machine without memory: the kernel ends the process that it likes least.
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { descendantsOf } from '../tree.ts';
import type { World } from '../world.ts';

function scoreOf(pid: number): number {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/oom_score`, 'utf8'));
  } catch {
    return -1; // it has just ended
  }
}

const greedyBytes = 500_000_000;

function bytesOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it has just ended
  }
}

/** Resolves when a cell has taken much memory, which is what brings the kernel to it. */
async function startGreedyCell({ notebook, server }: World): Promise<void> {
  const cell = await notebook.add(`import time\ngreedy = b"x" * ${greedyBytes}\ntime.sleep(600)`);
  const isThere = () => descendantsOf(server.process.pid ?? 0).some(({ pid }) => bytesOf(pid) > greedyBytes);
  let running = false;
  while (!isThere()) {
    if (!running) {
      running = true;
      // Refused while another cell runs; told as an error once it was killed.
      void notebook.request('POST', `/cells/${cell}/execute`).then(
        () => {
          running = false;
        },
        () => {},
      );
    }
    await pause(20);
  }
}

export const memoryKiller: Fault = {
  name: 'memory',
  says: 'a cell takes 500 MB, and the process that the kernel would end first (the highest oom_score of the service) gets kill -9',
  lastsBelow: 400,
  async strike(world) {
    await startGreedyCell(world);
    const own = { pid: world.server.process.pid ?? 0, command: 'the server' };
    const all = [own, ...descendantsOf(own.pid)].sort((one, other) => scoreOf(other.pid) - scoreOf(one.pid));
    const chosen = all[0] ?? own;
    if (chosen === own) await world.server.stop('SIGKILL');
    else process.kill(chosen.pid, 'SIGKILL');
    return { what: chosen.command.slice(-60), endsServer: chosen === own, lift: async () => {} };
  },
};
