// What one more open notebook adds to a server that has one open already: to the server itself, and with its processes.
import type { Line, Measure } from '../line.ts';
import { placeNotebook } from '../notebooks/place.ts';
import { startNotebookServer } from '../notebooks/server.ts';
import { chapters } from '../notebooks/sources.ts';
import { type ProcessFacts, processTree, totalMebibytes } from '../processTree.ts';

const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1500));

/** The server comes first. */
type Extent = (processes: readonly ProcessFacts[]) => readonly ProcessFacts[];

const memoryOf =
  (extent: Extent): Measure =>
  async (context) => {
    const server = await startNotebookServer(context);
    const empty = await placeNotebook(server, { name: 'Empty', sources: [] });
    const large = await placeNotebook(server, { name: 'Large', sources: chapters(200) });
    const held = (): number => totalMebibytes(extent(processTree(server.pid)));
    await server.open(empty.directory);
    await idle();
    const before = held();
    await server.open(large.directory);
    await idle();
    const after = held();
    await server.stop();
    return after - before;
  };

export const sessionMemory: Line = {
  name: 'memory of a session with 200 cells in the server',
  unit: 'MiB',
  budget: { atMost: 10 },
  onlyFull: true,
  ours: memoryOf((processes) => processes.slice(0, 1)),
};

export const sessionProcesses: Line = {
  name: 'memory of a session with 200 cells, with its processes',
  unit: 'MiB',
  onlyFull: true,
  ours: memoryOf((processes) => processes),
};

const many = 20;

export const idleSessions: Line = {
  name: `memory of ${many} idle sessions, with their processes`,
  unit: 'MiB',
  budget: { atMost: 100 },
  onlyFull: true,
  async ours(context) {
    const server = await startNotebookServer(context);
    const places: string[] = [];
    for (let one = 0; one <= many; one++)
      places.push((await placeNotebook(server, { name: `Idle ${one}`, sources: ['x = 1', 'x + 1'] })).directory);
    const [first = '', ...others] = places;
    const held = (): number => totalMebibytes(processTree(server.pid));
    await server.open(first);
    await idle();
    const before = held();
    for (const place of others) await server.open(place);
    await idle();
    const after = held();
    await server.stop();
    return after - before;
  },
};
