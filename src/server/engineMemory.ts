// What Arrow holds in all processes of the data engine, as each of them told with its last answer: no scrape asks or waits.
import type { Engine } from '../engine/index.ts';
import type { ArrowMemory } from '../protocol/index.ts';

export interface EngineMemories {
  follow(engine: Engine): Engine;
  total(): ArrowMemory;
}

export function createEngineMemories(): EngineMemories {
  const engines = new Set<Engine>();
  let highest = 0;
  return {
    follow(engine) {
      for (const other of engines) if (other.state === 'closed') engines.delete(other);
      engines.add(engine);
      return engine;
    },
    total() {
      const told = [...engines].flatMap(({ memory }) => memory ?? []);
      const held = told.reduce((sum, memory) => sum + memory.held, 0);
      highest = Math.max(
        highest,
        told.reduce((sum, memory) => sum + memory.highest, 0),
      );
      return { pool_backend: told[0]?.pool ?? 'none', bytes_allocated: held, max_memory: highest };
    },
  };
}
