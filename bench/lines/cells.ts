// One cell, from the frame that asks for it to the frame that calls it ready.
import { type Context, kept, type Line } from '../line.ts';
import { type BenchSession, medianOf, openBenchSession, pause, timed } from '../notebooks/session.ts';
import { ofCell, typed, withStatus } from '../notebooks/socket.ts';
import { inKernel } from '../programs/kernel.ts';
import { bareFork, plainPython } from '../programs/python.ts';

const printing = 'import time\nprint("here", flush=True)\ntime.sleep(0.05)';
const sleeping = 'import time\nprint("here", flush=True)\ntime.sleep(600)';

function sessionWith(source: string): (context: Context) => Promise<BenchSession> {
  return kept(async (context) => {
    const session = await openBenchSession(context, { sources: ['x = 1', source] });
    await session.untilStatus(session.cell(0), 'ready', 'cell_execute');
    return session;
  });
}

const trivial = sessionWith('y = 2');

export const warmCell: Line = {
  name: 'trivial cell, warm',
  unit: 'ms',
  budget: { atMost: 5 },
  warmUp: true,
  async ours(context) {
    const session = await trivial(context);
    return medianOf(15, async () => {
      await pause();
      return session.untilStatus(session.cell(0), 'ready', 'cell_execute_force');
    });
  },
  limits: { 'bare fork': bareFork, 'python -c': plainPython },
  peers: { 'Jupyter kernel': inKernel('x = 1') },
};

const runsInARow = 50;

export const cellsPerSecond: Line = {
  name: 'trivial cells back to back',
  unit: 'per s',
  budget: { atLeast: 150 },
  onlyFull: true,
  warmUp: true,
  async ours(context) {
    const session = await trivial(context);
    const began = performance.now();
    for (let run = 0; run < runsInARow; run++) {
      await session.untilStatus(session.cell(0), 'ready', 'cell_execute_force');
    }
    return runsInARow / ((performance.now() - began) / 1000);
  },
};

export const cacheHit: Line = {
  name: 'cache hit',
  unit: 'ms',
  budget: { atMost: 2 },
  warmUp: true,
  async ours(context) {
    const session = await trivial(context);
    return medianOf(25, () => session.untilStatus(session.cell(0), 'ready', 'cell_execute'));
  },
};

const talkative = sessionWith(printing);

export const firstConsoleText: Line = {
  name: 'first console text of a running cell',
  unit: 'ms',
  budget: { atMost: 30 },
  onlyFull: true,
  warmUp: true,
  async ours(context) {
    const session = await talkative(context);
    const id = session.cell(1);
    return medianOf(5, async () => {
      const text = session.socket.next(typed('cell_console'), ofCell(id));
      const ended = session.socket.next(typed('cell_status'), ofCell(id), withStatus('ready'));
      const milliseconds = await timed(text, () => session.socket.send('cell_execute_force', { cell_id: id }));
      await ended;
      return milliseconds;
    });
  },
};

const endless = sessionWith(sleeping);

export const cancelToIdle: Line = {
  name: 'cancel → idle',
  unit: 'ms',
  budget: { atMost: 9 },
  warmUp: true,
  async ours(context) {
    const session = await endless(context);
    const id = session.cell(1);
    return medianOf(5, async () => {
      const running = session.socket.next(typed('cell_console'), ofCell(id));
      session.socket.send('cell_execute_force', { cell_id: id });
      await running;
      return session.untilStatus(id, 'idle', 'cell_cancel');
    });
  },
};
