// A cell that prints much while fifty look on: until the last of them knows that it is over.
import { type Context, kept, type Line } from '../line.ts';
import { openBenchSession } from '../notebooks/session.ts';
import { ofCell, openBenchSocket, typed, withStatus } from '../notebooks/socket.ts';

const viewers = 50;

const watched = kept(async (context: Context) => {
  const session = await openBenchSession(context, { sources: ['for i in range(10_000): print("line", i)'] });
  const others = Array.from({ length: viewers }, () => openBenchSocket(session.port, session.sessionId));
  return { session, sockets: await Promise.all(others) };
});

export const watchedPrinting: Line = {
  name: 'print 10 000 lines with 50 viewers',
  unit: 'ms',
  budget: { atMost: 150 },
  onlyFull: true,
  warmUp: true,
  async ours(context) {
    const { session, sockets } = await watched(context);
    const id = session.cell(0);
    const over = sockets.map((one) => one.next(typed('cell_status'), ofCell(id), withStatus('ready')));
    const began = performance.now();
    session.socket.send('cell_execute_force', { cell_id: id });
    return Math.max(...(await Promise.all(over)).map(({ at }) => at)) - began;
  },
};
