// What a server holds while nobody uses it: the resident memory of all its processes, a moment after its first
// request, or after a second of load. Ours includes its analysis process.
import path from 'node:path';
import { root } from '../../scripts/setup/places.js';
import { findPython } from '../../scripts/setup/python.js';
import { createAnalysis, createEngine, type Engine } from '../../src/engine/index.ts';
import type { Context, Line, Measure } from '../line.ts';
import { requestsPerSecond } from '../load/load.ts';
import { NotMeasured } from '../notMeasured.ts';
import { type ProcessFacts, processTree, totalMebibytes } from '../processTree.ts';
import { plainNode, svcServer } from '../programs/own.ts';
import type { PeerName } from '../programs/peers.ts';
import { type Program, type RunningProgram, startProgram } from '../programs/program.ts';

const idleMilliseconds = 1500;

type Use = (context: Context, server: RunningProgram) => Promise<unknown>;

/** The request that `startProgram` makes is all the use there is. */
const started: Use = async () => {};
const loaded: Use = (context, server) => requestsPerSecond(context, server, { path: '/health', connections: 8 });

function memoryOf(program: Program, use: Use): Measure {
  return async (context) => {
    const running = await startProgram(context, program);
    await use(context, running);
    await idle();
    const processes = processTree(running.pid);
    await running.stop();
    return totalMebibytes(processes);
  };
}

const memoryOfPeer =
  (name: PeerName): Measure =>
  async (context) =>
    memoryOf(await context.peer(name), started)(context);

function ownMemory(use: Use): Measure {
  return async (context) => {
    const running = await startProgram(context, svcServer());
    await using analysis = await startAnalysis();
    await use(context, running);
    await idle();
    const server = processTree(running.pid);
    await running.stop();
    // A server that keeps an analysis process of its own already counts it.
    return totalMebibytes(server.some(isAnalysis) ? server : [...server, ...processTree(analysis.pid)]);
  };
}

const isAnalysis = ({ command }: ProcessFacts): boolean => /svc_engine\/__main__\.py analysis$/.test(command);

async function startAnalysis(): Promise<{ pid: number } & AsyncDisposable> {
  const python = await findPython();
  if (!python) throw new NotMeasured('needs Python');
  const engine: Engine = createEngine({
    name: 'analysis',
    command: python.command,
    args: ['-I', '-S', path.join(root, 'python/svc_engine/__main__.py'), 'analysis'],
  });
  await createAnalysis(engine).analyse('import math\narea = math.pi * radius ** 2\n');
  if (engine.pid === undefined) throw new Error('The analysis process answered and is gone.');
  return { pid: engine.pid, [Symbol.asyncDispose]: () => engine.close() };
}

const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, idleMilliseconds));

export const serverMemory: Line = {
  name: 'idle memory of the server',
  unit: 'MiB',
  budget: { atMost: 85 },
  ours: ownMemory(started),
  limits: { 'plain Node server': memoryOf(plainNode, started) },
  peers: {
    marimo: memoryOfPeer('marimo'),
    'strata-notebook': memoryOfPeer('strata-notebook'),
    'jupyter-server': memoryOfPeer('jupyter-server'),
  },
};

export const memoryAfterLoad: Line = {
  name: 'memory of the server after load',
  unit: 'MiB',
  ours: ownMemory(loaded),
};
