// SQLite queries in a thread of their own, for those that read so much that the event loop would stand still meanwhile.
// The thread is started when first needed and ends when nobody has asked for a while.
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../places.ts';
import type { Queries, Row, SqlValue } from './database.ts';

export interface Question {
  readonly id: number;
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export type Reply =
  | { readonly id: number; readonly rows: readonly Row[] }
  | { readonly id: number; readonly error: string };

interface Asker {
  resolve(rows: readonly Row[]): void;
  reject(error: Error): void;
}

const idleMilliseconds = 30_000;

export function queriesBeside(file: string): Pick<Queries, 'all' | 'get'> & { close(): Promise<void> } {
  const waiting = new Map<number, Asker>();
  let worker: Worker | undefined;
  let asked = 0;
  let idle: NodeJS.Timeout | undefined;

  function failAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    worker = undefined;
  }

  function start(): Worker {
    const started = new Worker(threadProgram('database/sqliteWorker'), { workerData: { file } });
    started.unref();
    started.on('message', (reply: Reply) => {
      const asker = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0) {
        idle = setTimeout(() => void close(), idleMilliseconds).unref();
        started.unref();
      }
      if ('rows' in reply) asker?.resolve(reply.rows);
      else asker?.reject(new Error(reply.error));
    });
    started.on('error', failAll);
    return started;
  }

  async function close(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  }

  const ask = (sql: string, params: readonly SqlValue[]): Promise<readonly Row[]> =>
    new Promise((resolve, reject) => {
      clearTimeout(idle);
      worker ??= start();
      worker.ref();
      const id = asked++;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, sql, params } satisfies Question);
    });

  return {
    all: async (sql, params, decode) => (await ask(sql, params)).map(decode),
    get: async (sql, params, decode) => {
      const [row] = await ask(sql, params);
      return row === undefined ? undefined : decode(row);
    },
    close,
  };
}
