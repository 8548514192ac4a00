// SQLite in one file, for a single server. Two connections: one writes, in turn; one reads and never sees half a
// transaction. SQLite itself syncs its log only before it empties it; here it is synced after each commit.
import fs from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { orTrouble } from '../errors/index.ts';
import type { Database, Queries, SqlValue } from './database.ts';
import { queriesBeside } from './sqliteBeside.ts';
import { syncOf } from './sync.ts';

/**
 * When a commit is answered: `durable`, once it would survive a power cut; `committed`, at once, and it does a moment
 * later (a process that dies loses neither).
 */
export type Answered = 'durable' | 'committed';

export interface SqliteOptions {
  readonly answered?: Answered | undefined;
  /** What each of its two connections may keep of the file in memory; undefined: 2 MiB, as SQLite has it. */
  readonly cacheKibibytes?: number | undefined;
}

export function openSqlite(
  file: string,
  { answered = 'durable', cacheKibibytes = 2000 }: SqliteOptions = {},
): Database {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  closeToOthers(file);
  const writer = connect(file, cacheKibibytes);
  const reader = connect(file, cacheKibibytes);
  const write = queriesOn(writer);
  const read = queriesOn(reader);
  const beside = queriesBeside(file);
  const sync = syncOf(`${file}-wal`);
  let lastWrite: Promise<unknown> = Promise.resolve();

  /** Runs after everything that was queued before it, whether that succeeded or not. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastWrite.then(work, work);
    lastWrite = result.catch(() => {});
    return result;
  }

  /** Of a commit that was answered already: the next one is refused with it, for the disk may not tell it twice. */
  let failure: { readonly reason: unknown } | undefined;

  async function kept<T>(commit: () => Promise<T>): Promise<T> {
    const before = failure;
    failure = undefined;
    try {
      if (before) throw before.reason;
      const result = await commit();
      const synced = sync();
      if (answered === 'durable') await synced;
      else
        synced.catch((reason: unknown) => {
          failure = { reason };
        });
      return result;
    } catch (error) {
      throw orTrouble(error);
    }
  }

  return {
    dialect: 'sqlite',
    all: read.all,
    get: read.get,
    beside,
    now: () => Date.now() / 1000,
    run: (sql, params) => kept(() => inTurn(() => write.run(sql, params))),
    transaction: (work) =>
      kept(() =>
        inTurn(async () => {
          writer.exec('BEGIN IMMEDIATE');
          try {
            const result = await work(write);
            writer.exec('COMMIT');
            return result;
          } catch (error) {
            // A full disk has ended it already, and is what has to be told.
            if (writer.isTransaction) writer.exec('ROLLBACK');
            throw error;
          }
        }),
      ),
    close: () =>
      inTurn(async () => {
        await beside.close();
        await sync.close();
        reader.close();
        writer.close();
      }),
  };
}

/** Keys and what was stored are nobody else's. Without opening what is there: closing it would let go of SQLite's locks. */
function closeToOthers(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'ax', 0o600));
  } catch {
    // It is there already, with what SQLite keeps beside it; or SQLite says why it cannot be.
  }
  for (const part of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      const { mode } = fs.statSync(part);
      if ((mode & 0o007) !== 0) fs.chmodSync(part, mode & 0o770);
    } catch {
      // It is not there, or belongs to somebody who may decide.
    }
  }
}

function connect(file: string, cacheKibibytes: number): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: 10_000 });
  try {
    connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    connection.exec(`PRAGMA cache_size = -${cacheKibibytes};`);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

function queriesOn(connection: DatabaseSync): Queries {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    let found = prepared.get(sql);
    if (!found) {
      found = connection.prepare(sql);
      // What makes a table is never asked again.
      if (!/^\s*(CREATE|ALTER|DROP)\b/i.test(sql)) prepared.set(sql, found);
    }
    return found;
  };
  return {
    all: async (sql, params, decode) =>
      statement(sql)
        .all(...params)
        .map(decode),
    get: async (sql, params, decode) => {
      const row = statement(sql).get(...params);
      return row === undefined ? undefined : decode(row);
    },
    run: async (sql, params: readonly SqlValue[] = []) => Number(statement(sql).run(...params).changes),
  };
}
