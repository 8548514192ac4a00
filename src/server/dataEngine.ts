// The data process, started when first needed and its environment is there; until then whoever asks is told to come back.
import { fileURLToPath } from 'node:url';
import { enginePython } from '../../scripts/setup/places.js';
import { createEngine, type Engine, type EnginePreparation } from '../engine/index.ts';
import { refusals } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';

const program = fileURLToPath(new URL('../../python/svc_engine', import.meta.url));

export function createDataEngine({ preparation, log }: { preparation: EnginePreparation; log: Log }) {
  let running: Engine | undefined;
  return {
    engine(): Engine {
      const state = preparation.current();
      if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
      running ??= createEngine({
        name: 'data',
        command: enginePython,
        args: ['-I', program, 'data'],
        log: ({ source, line }) => log.debug(line, { engine: 'data', source }),
      });
      return running;
    },
    async close(): Promise<void> {
      await running?.close();
    },
  };
}
