// The thread behind `sqliteBeside.ts`: answers one query after the other on a connection that only reads.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Question, Reply } from './sqliteBeside.ts';

const connection = new DatabaseSync(String(workerData.file), { readOnly: true, timeout: 10_000 });

parentPort?.on('message', ({ id, sql, params }: Question) => {
  parentPort?.postMessage(answer(id, sql, params));
});

function answer(id: number, sql: string, params: Question['params']): Reply {
  try {
    // Rows of the driver have no prototype, which a message cannot carry.
    return {
      id,
      rows: connection
        .prepare(sql)
        .all(...params)
        .map((row) => ({ ...row })),
    };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
