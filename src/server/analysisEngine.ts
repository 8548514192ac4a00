// The process that reads the sources of cells, started when first asked. It needs nothing but a Python.
import { findPython } from '../../scripts/setup/python.js';
import { createEngine, type Engine } from '../engine/index.ts';
import type { Log } from '../observability/index.ts';
import { engineProgram } from '../places.ts';

export interface AnalysisEngine extends Pick<Engine, 'request'> {
  start(): Promise<Engine>;
  close(): Promise<void>;
}

/** The command of a Python that notebooks can be worked on with; throws where this machine has none. */
export async function pythonCommand(): Promise<string> {
  const python = await findPython();
  if (!python) throw new Error('No Python 3.10 or newer was found on this machine; notebooks need one.');
  return python.command;
}

export function createAnalysisEngine(log: Log): AnalysisEngine {
  let running: Engine | undefined;

  async function start(): Promise<Engine> {
    const command = await pythonCommand();
    running ??= createEngine({
      name: 'analysis',
      command,
      args: ['-I', '-S', engineProgram, 'analysis'],
      log: ({ source, line }) => log.debug(line, { engine: 'analysis', source }),
    });
    return running;
  }

  return {
    start,
    request: async (op, params, options) => (await start()).request(op, params, options),
    async close() {
      await running?.close();
    },
  };
}
