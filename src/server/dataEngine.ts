// The data process, started when first needed and its environment is there; until then whoever asks is told to come back.
import { fileURLToPath } from 'node:url';
import { enginePython } from '../../scripts/setup/places.js';
import { createEngine, type Engine, type EnginePreparation } from '../engine/index.ts';
import { refusals } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';

const program = fileURLToPath(new URL('../../python/svc_engine', import.meta.url));

export interface DataEngineParts {
  readonly preparation: EnginePreparation;
  readonly log: Log;
  /** Arrow's allocator in the process; null lets Arrow choose. */
  readonly memoryPool: string | null;
}

export function createDataEngine({ preparation, log, memoryPool }: DataEngineParts) {
  let running: Engine | undefined;
  const env = memoryPool === null ? process.env : { ...process.env, ARROW_DEFAULT_MEMORY_POOL: memoryPool };

  function create(name: string): Engine {
    const state = preparation.current();
    if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
    return createEngine({
      name,
      command: enginePython,
      args: ['-I', program, 'data'],
      env,
      log: ({ source, line }) => log.debug(line, { engine: name, source }),
    });
  }

  return {
    /** The one that plans, browses and writes. */
    engine(): Engine {
      running ??= create('data');
      return running;
    },
    /** One more beside it, which the caller closes. */
    create,
    async close(): Promise<void> {
      await running?.close();
    },
  };
}
