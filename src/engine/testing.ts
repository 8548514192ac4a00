// What the tests of this room share: engines over real Python processes, and log lines to wait for.

import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { findPython } from '../../scripts/setup/python.js';
import { engineProgram } from '../places.ts';
import { createEngine, type Engine, type EngineLogEntry, type EngineOptions } from './engine.ts';
import type { JsonObject } from './frames.ts';

export const pythonFolder = fileURLToPath(new URL('../../python/', import.meta.url));
/** The newest Python of this machine, as the server would choose it. */
export const python = process.env.SVC_TEST_PYTHON ?? (await findPython())?.command ?? 'python3';

export const analysisCommand = { command: python, args: ['-I', '-S', engineProgram, 'analysis'] };
export const misbehavingCommand = {
  command: python,
  args: ['-I', '-S', `${pythonFolder}svc_engine/tests/misbehaving_engine.py`],
};

export interface ObservedEngine extends Engine, AsyncDisposable {
  readonly lines: readonly EngineLogEntry[];
  /** Resolves with the first line, past or future, that holds `text`. */
  line(text: string): Promise<string>;
  ask(op: string, params?: JsonObject, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<unknown>;
}

export function observedEngine(options: Partial<EngineOptions> = {}): ObservedEngine {
  const lines: EngineLogEntry[] = [];
  const waiting = new Set<() => void>();
  const engine = createEngine({
    name: 'test',
    ...misbehavingCommand,
    log(entry) {
      lines.push(entry);
      for (const tellWaiting of waiting) tellWaiting();
    },
    ...options,
  });

  function line(text: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    function tellWaiting(): void {
      const found = lines.find((entry) => entry.line.includes(text));
      if (found === undefined) return;
      waiting.delete(tellWaiting);
      resolve(found.line);
    }
    waiting.add(tellWaiting);
    tellWaiting();
    return promise;
  }

  return {
    name: engine.name,
    get state() {
      return engine.state;
    },
    get pid() {
      return engine.pid;
    },
    get memory() {
      return engine.memory;
    },
    request: (op, params, requestOptions) => engine.request(op, params, requestOptions),
    warm: () => engine.warm(),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
    lines,
    line,
    ask: (op, params = {}, askOptions = {}) => engine.request(op, params, { schema: z.unknown(), ...askOptions }),
  };
}
