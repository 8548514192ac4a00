// The data processes, started when first needed and their environment is there; until then whoever asks is told to come back.
import { enginePython } from '../../scripts/setup/places.js';
import {
  createEngine,
  createEnginePool,
  type Engine,
  type EngineLimits,
  type EnginePreparation,
} from '../engine/index.ts';
import { refusals } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';
import { engineProgram } from '../places.ts';
import { environmentForPrograms } from '../settings/index.ts';
import { createSqlProcesses, type SqlProcesses } from '../sql/index.ts';
import type { EngineMemories } from './engineMemory.ts';

const summariesIdleMs = 30_000;

export interface DataEngineParts {
  readonly preparation: EnginePreparation;
  readonly log: Log;
  /** Arrow's allocator in the process; null lets Arrow choose. */
  readonly memoryPool: string | null;
  readonly memories: EngineMemories;
  /** Of processes that read tables: where several tenants share a server, what one has read must not keep it from answering the others. */
  readonly niceness: number;
  /** Who runs cells, where that is another account: what lies where they may write is queried as they. */
  readonly cellUser: string | null;
}

/** `name` is what the log calls it; `role` is what it answers. */
function start(
  { preparation, log, memoryPool, memories, niceness, cellUser }: DataEngineParts,
  name: string,
  role: 'data' | 'sql',
  limits: Partial<EngineLimits> = {},
): Engine {
  const state = preparation.current();
  if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
  const engine = createEngine({
    name,
    command: enginePython,
    args: ['-I', engineProgram, role],
    env: {
      ...environmentForPrograms(),
      ...(memoryPool === null ? {} : { ARROW_DEFAULT_MEMORY_POOL: memoryPool }),
      SVC_ENGINE_CELL_USER: cellUser ?? '',
    },
    niceness,
    limits,
    onMemory: memories.told,
    log: ({ source, line }) => log.debug(line, { engine: name, source }),
  });
  return memories.follow(engine);
}

export function createDataEngine(parts: DataEngineParts) {
  let running: Engine | undefined;
  const summaries = createEnginePool({
    size: 1,
    create: () => start(parts, 'summaries', 'data', { cancelGraceMs: 0 }),
    prepare: async () => {},
    idleMs: summariesIdleMs,
  });
  return {
    /** The one that plans, browses and writes. */
    engine(): Engine {
      running ??= start(parts, 'data', 'data');
      return running;
    },
    /** Looks at whole tables, beside the one that people wait for; ended at once when nobody wants its answer any more. */
    summaries,
    /** One more beside it, which the caller closes. */
    create: (name: string): Engine => start(parts, name, 'data'),
    async close(): Promise<void> {
      await Promise.all([running?.close(), summaries.close()]);
    },
  };
}

/** A cancelled query has nothing to finish: its process goes at once. */
export const createSqlEngines = (parts: DataEngineParts): SqlProcesses =>
  createSqlProcesses({ start: () => start(parts, 'sql', 'sql', { cancelGraceMs: 0, closeGraceMs: 100 }) });
