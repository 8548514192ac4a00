// The data process and those of SQL cells, started when first needed and their environment is there; until then whoever asks
// is told to come back.
import { fileURLToPath } from 'node:url';
import { enginePython } from '../../scripts/setup/places.js';
import { createEngine, type Engine, type EngineLimits, type EnginePreparation } from '../engine/index.ts';
import { refusals } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';
import { createSqlProcesses, type SqlProcesses } from '../sql/index.ts';

const program = fileURLToPath(new URL('../../python/svc_engine', import.meta.url));

interface Parts {
  readonly preparation: EnginePreparation;
  readonly log: Log;
}

function start({ preparation, log }: Parts, name: 'data' | 'sql', limits: Partial<EngineLimits> = {}): Engine {
  const state = preparation.current();
  if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
  return createEngine({
    name,
    command: enginePython,
    args: ['-I', program, name],
    limits,
    log: ({ source, line }) => log.debug(line, { engine: name, source }),
  });
}

export function createDataEngine(parts: Parts) {
  let running: Engine | undefined;
  return {
    engine(): Engine {
      running ??= start(parts, 'data');
      return running;
    },
    async close(): Promise<void> {
      await running?.close();
    },
  };
}

/** A cancelled query has nothing to finish: its process goes at once. */
export const createSqlEngines = (parts: Parts): SqlProcesses =>
  createSqlProcesses({ start: () => start(parts, 'sql', { cancelGraceMs: 0, closeGraceMs: 100 }) });
