// kill -9 of processes that the server started and has to replace by itself.
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { order, scan } from '../../kit/scan.ts';
import type { Fault } from '../fault.ts';
import { processesIn, type Role } from '../tree.ts';
import type { World } from '../world.ts';

const killed = (name: string, role: Role, says: string, prepare?: Fault['prepare']): Fault => ({
  name,
  says,
  lastsBelow: 400,
  ...(prepare ? { prepare } : {}),
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

/** Starts a thread when it is imported, so that no process that has it may be forked. */
const threaded = 'svc_faults_threaded';
const threadedSource = `
import threading, time
threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
`;

/** Once a cell has imported such a module, interpreters that have it wait for the next. */
async function prepareSpares({ notebook, server }: World): Promise<void> {
  const libraries = path.join(notebook.path, '.venv/lib');
  const [version = ''] = fs.readdirSync(libraries).filter((name) => name.startsWith('python'));
  fs.writeFileSync(path.join(libraries, version, 'site-packages', `${threaded}.py`), threadedSource);
  const cell = await notebook.add(`import ${threaded}\n1`);
  for (const until = performance.now() + 20_000; performance.now() < until; ) {
    await notebook.run(cell, 'force');
    if (processesIn('spare interpreter', server.process.pid ?? 0).length > 0) return;
  }
  throw new Error('No spare interpreter was started.');
}

/** Starts the processes that read tables; they are refused until the server has looked at their packages. */
async function prepareTables({ server, surroundings }: World): Promise<void> {
  const uri = surroundings.warehouse.uri('rows');
  while ((await order(server, uri)).status === 503) await pause(50);
  await scan(server, uri);
}

/** Starts those that cells run in. */
async function prepareCells({ notebook }: World): Promise<void> {
  await notebook.run(await notebook.add('1 + 1'));
}

export const processFaults: readonly Fault[] = [
  killed('data-engine', 'data engine', 'kill -9 of one or all processes that read tables', prepareTables),
  killed('analysis-engine', 'analysis engine', 'kill -9 of the process that analyses sources'),
  killed('zygote', 'zygote', 'kill -9 of the process that cells are forked from', prepareCells),
  killed(
    'spare',
    'spare interpreter',
    'kill -9 of interpreters that wait for cells whose packages cannot be forked',
    prepareSpares,
  ),
  killed('cell', 'cell', 'kill -9 of processes that run a cell or wait for one', prepareCells),
];
