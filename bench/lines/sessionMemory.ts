// What one more open notebook adds to a server that has one open already, with all its processes.
import type { Line } from '../line.ts';
import { placeNotebook } from '../notebooks/place.ts';
import { startNotebookServer } from '../notebooks/server.ts';
import { chapters } from '../notebooks/sources.ts';
import { processTree, totalMebibytes } from '../processTree.ts';

const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

export const sessionMemory: Line = {
  name: 'memory of a session with 200 cells',
  unit: 'MiB',
  onlyFull: true,
  async ours(context) {
    const server = await startNotebookServer(context);
    const empty = await placeNotebook(server, { name: 'Empty', sources: [] });
    const large = await placeNotebook(server, { name: 'Large', sources: chapters(200) });
    await server.open(empty.directory);
    await idle();
    const before = totalMebibytes(processTree(server.pid));
    await server.open(large.directory);
    await idle();
    const after = totalMebibytes(processTree(server.pid));
    await server.stop();
    return after - before;
  },
};
