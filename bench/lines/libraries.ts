// Ten cells that use a large library as people do, run in one go, beside a Jupyter kernel that has the same packages. The
// kernel keeps every value in its memory and stores nothing.
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { type Library, libraryEnvironment, placeLibraryNotebook, sourcesOf } from '../notebooks/libraries.ts';
import { type NotebookServer, startNotebookServer } from '../notebooks/server.ts';
import { ofCell, openBenchSocket, typed, withStatus } from '../notebooks/socket.ts';
import { processTree, proportionalMebibytes } from '../processTree.ts';
import { chainInKernel } from '../programs/kernel.ts';

interface LibrarySession {
  readonly server: NotebookServer;
  /** Runs all cells, whatever is stored of them; the milliseconds until the last of them is ready. */
  runAll(): Promise<number>;
}

async function openLibrary(
  context: Context,
  library: Library,
  settings: Readonly<Record<string, string>> = {},
): Promise<LibrarySession> {
  const server = await startNotebookServer(context, context.sandbox.folder(), settings);
  const { directory, cellIds } = await placeLibraryNotebook(server, library);
  const { session_id } = await server.open(directory);
  const socket = await openBenchSocket(server.port, session_id);
  return {
    server,
    async runAll() {
      const ready = cellIds.map((id) => socket.next(typed('cell_status'), ofCell(id), withStatus('ready')));
      const began = performance.now();
      socket.send('notebook_rerun_all');
      const arrivals = await Promise.all(ready);
      return Math.max(...arrivals.map(({ at }) => at)) - began;
    },
  };
}

const inKernel =
  (library: Library, run: 'first' | 'second'): Measure =>
  async (context) => {
    const { python } = await libraryEnvironment();
    return (await chainInKernel(context, python, sourcesOf(library)))[run];
  };

const common = { unit: 'ms', budget: { times: 1.3, peer: 'Jupyter kernel' }, rounds: 3, onlyFull: true } as const;

function firstRun(library: Library): Line {
  return {
    ...common,
    name: `library cells: ${library}, first run`,
    async ours(context) {
      const { server, runAll } = await openLibrary(context, library);
      const milliseconds = await runAll();
      await server.stop();
      return milliseconds;
    },
    peers: { 'Jupyter kernel': inKernel(library, 'first') },
  };
}

function warmRun(library: Library): Line {
  const session = kept(async (context) => {
    const opened = await openLibrary(context, library);
    await opened.runAll();
    return opened;
  });
  return {
    ...common,
    name: `library cells: ${library}, warm`,
    ours: async (context) => (await session(context)).runAll(),
    peers: { 'Jupyter kernel': inKernel(library, 'second') },
  };
}

const libraries: readonly Library[] = ['scikit-learn', 'scipy', 'polars', 'torch', 'seaborn', 'xgboost'];

export const libraryCells: readonly Line[] = libraries.flatMap((library) => [firstRun(library), warmRun(library)]);

/** What the processes of its notebook take, the server itself left out. */
const heldBy = ({ pid }: NotebookServer): number =>
  proportionalMebibytes(processTree(pid).filter(({ command }) => command.includes('svc_runtime')));

export const memoryAfterTorch: Line = {
  name: 'memory of a notebook idle after library cells: torch',
  unit: 'MiB',
  budget: { atMost: 600 },
  rounds: 3,
  onlyFull: true,
  async ours(context) {
    const { server, runAll } = await openLibrary(context, 'torch');
    await runAll();
    await settled(() => heldBy(server));
    const held = heldBy(server);
    await server.stop();
    return held;
  },
};

const lookMilliseconds = 500;

/** Resolves when it has stayed the same for a few looks: spare processes have come, earlier ones have gone. */
async function settled(figure: () => number): Promise<void> {
  let before = figure();
  for (let same = 0; same < 6; ) {
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    const now = figure();
    same = Math.abs(now - before) < 1 ? same + 1 : 0;
    before = now;
  }
}
