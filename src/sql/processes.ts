// The processes that queries run in: one for each query at a time, so that none waits for another and a cancelled one ends
// with its process. One stays ready for a while after the last query.
import type { Engine, JsonObject, RequestOptions } from '../engine/index.ts';

export interface SqlProcesses {
  ask<R>(operation: string, params: JsonObject, options: RequestOptions<R>): Promise<R>;
  close(): Promise<void>;
}

export interface ProcessParts {
  /** Throws while the environment of the processes is being prepared. */
  readonly start: () => Engine;
  readonly idleMilliseconds?: number;
}

export function createSqlProcesses({ start, idleMilliseconds = 120_000 }: ProcessParts): SqlProcesses {
  const all = new Set<Engine>();
  const free: Engine[] = [];
  let leaving: NodeJS.Timeout | undefined;

  async function end(engine: Engine): Promise<void> {
    all.delete(engine);
    await engine.close();
  }

  function giveBack(engine: Engine, isUsed: boolean): void {
    // One that was cancelled may still be at work.
    if (isUsed || free.length > 0 || !all.has(engine)) return void end(engine);
    free.push(engine);
    clearTimeout(leaving);
    leaving = setTimeout(() => {
      for (const idle of free.splice(0)) void end(idle);
    }, idleMilliseconds).unref();
  }

  return {
    async ask(operation, params, options) {
      const engine = free.pop() ?? start();
      all.add(engine);
      try {
        return await engine.request(operation, params, options);
      } finally {
        giveBack(engine, options.signal?.aborted ?? false);
      }
    },
    async close() {
      clearTimeout(leaving);
      free.length = 0;
      await Promise.all([...all].map(end));
    },
  };
}
