// What Arrow holds in all processes of the data engine, as each of them told with its last answer: no scrape asks or waits.
import type { Engine } from '../engine/index.ts';
import type { ArrowMemory } from '../protocol/index.ts';

export interface EngineMemories {
  /** A process has told: what it held is remembered, though it ends before anybody asks. */
  told(): void;
  follow(engine: Engine): Engine;
  total(): ArrowMemory;
}

export function createEngineMemories(): EngineMemories {
  const engines = new Set<Engine>();
  let highest = 0;
  const memories = () => [...engines].flatMap(({ memory }) => memory ?? []);

  function told(): void {
    const sum = memories().reduce((all, memory) => all + memory.highest, 0);
    highest = Math.max(highest, sum);
  }

  return {
    told,
    follow(engine) {
      for (const other of engines) if (other.state === 'closed') engines.delete(other);
      engines.add(engine);
      return engine;
    },
    total() {
      const now = memories();
      const held = now.reduce((sum, memory) => sum + memory.held, 0);
      return { pool_backend: now[0]?.pool ?? 'none', bytes_allocated: held, max_memory: highest };
    },
  };
}
