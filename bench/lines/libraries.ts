// Ten cells that use a large library as people do, run in one go, beside a Jupyter kernel that has the same packages. The
// kernel keeps every value in its memory and stores nothing.
import { createPythonRuntime, type Job } from '../../src/runtimes/index.ts';
import { type Context, kept, type Line, type Measure } from '../line.ts';
import { type Library, libraryEnvironment, placeLibraryNotebook, sourcesOf } from '../notebooks/libraries.ts';
import { type NotebookServer, startNotebookServer } from '../notebooks/server.ts';
import { ofCell, openBenchSocket, typed, withStatus } from '../notebooks/socket.ts';
import { type ProcessFacts, processTree, proportionalMebibytes } from '../processTree.ts';
import { chainInForks } from '../programs/bareForks.ts';
import { chainInKernel } from '../programs/kernel.ts';
import type { Sandbox } from '../sandbox.ts';

interface LibrarySession {
  readonly server: NotebookServer;
  /** Runs all cells, whatever is stored of them; the milliseconds until the last of them is ready. */
  runAll(): Promise<number>;
}

/** Somebody reads the first lines of what they have opened; a kernel has started, too, before it is given anything. */
const openMilliseconds = 2000;

async function openLibrary(context: Context, library: Library): Promise<LibrarySession> {
  const server = await startNotebookServer(context);
  const { directory, cellIds } = await placeLibraryNotebook(server, library);
  const { session_id } = await server.open(directory);
  const socket = await openBenchSocket(server.port, session_id);
  socket.send('notebook_sync');
  await new Promise((resolve) => setTimeout(resolve, openMilliseconds));
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

const inForks =
  (library: Library): Measure =>
  async (context) => {
    const { python } = await libraryEnvironment();
    return chainInForks(context, python, sourcesOf(library));
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
    // A solver of scipy takes seconds in a process that is forked so plainly: no limit of anything.
    ...(library === 'scipy' ? {} : { limits: { 'bare forks': inForks(library) } }),
  };
}

const libraries: readonly Library[] = ['scikit-learn', 'scipy', 'polars', 'torch', 'seaborn', 'xgboost'];

export const libraryCells: readonly Line[] = libraries.flatMap((library) => [firstRun(library), warmRun(library)]);

const isOfNotebook = ({ command }: ProcessFacts): boolean => command.includes('svc_runtime');
const heldBelow = (pid: number): number => proportionalMebibytes(processTree(pid).filter(isOfNotebook));

export const memoryAfterTorch: Line = {
  name: 'memory of a notebook idle after library cells: torch',
  unit: 'MiB',
  budget: { atMost: 600 },
  rounds: 3,
  onlyFull: true,
  async ours(context) {
    const { server, runAll } = await openLibrary(context, 'torch');
    await runAll();
    const held = await settled(() => heldBelow(server.pid));
    await server.stop();
    return held;
  },
};

/** The runtime by itself, since a server waits ten minutes. */
const idleSeconds = 2;

export const memoryGivenBack: Line = {
  name: 'the same after its idle time, library cells: torch',
  unit: 'MiB',
  budget: { atMost: 1 },
  rounds: 3,
  onlyFull: true,
  async ours({ sandbox }) {
    const { python } = await libraryEnvironment();
    const sources = sourcesOf('torch').slice(0, 1);
    const runtime = createPythonRuntime({
      interpreter: python,
      warmPoolSize: 2,
      policy: { variables: process.env, allowlist: [] },
      cells: () => sources.map((source) => ({ source })),
      idleSeconds,
    });
    try {
      for (const source of sources) {
        const { error } = await runtime.run(jobOf(source, sandbox), () => {}, new AbortController().signal);
        if (error !== null) throw new Error(error.text);
      }
      if (heldBelow(process.pid) < 50) throw new Error('There was nothing to give back.');
      await new Promise((resolve) => setTimeout(resolve, idleSeconds * 2000));
      return heldBelow(process.pid);
    } finally {
      await runtime.close();
    }
  },
};

function jobOf(source: string, sandbox: Sandbox): Job {
  const folder = sandbox.folder();
  return {
    cellId: 'torch',
    source,
    inputs: {},
    wanted: [],
    mutationDefines: [],
    moduleSlices: {},
    env: {},
    workDir: folder,
    notebookDir: folder,
    outputDir: sandbox.folder(),
    timeoutSeconds: 300,
    timeoutLever: 'the benchmark',
    codec: 'cloudpickle',
    untilExpr: null,
    testSource: null,
    ambient: null,
  };
}

const lookMilliseconds = 500;

/** What it is once it has stayed the same for a few looks: spare processes have come, earlier ones have gone. */
async function settled(figure: () => number): Promise<number> {
  let before = figure();
  for (let same = 0; same < 6; ) {
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
    const now = figure();
    same = Math.abs(now - before) < 1 ? same + 1 : 0;
    before = now;
  }
  return before;
}
