// PostgreSQL, for servers that share one store. The driver is loaded only when a DSN is configured.
import type { Pool, PoolClient } from 'pg';
import { orTrouble, refusals } from '../errors/index.ts';
import type { Database, Queries, SqlValue } from './database.ts';
import { number } from './rows.ts';
import { followClock } from './sharedClock.ts';

/** The documented budget: 40 for work and one more, given back after ten minutes without use. */
const maxConnections = 41;
const idleMilliseconds = 600_000;

export async function openPostgres(dsn: string): Promise<Database> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: dsn, max: maxConnections, idleTimeoutMillis: idleMilliseconds });
  // An idle connection that the server drops must not end this process; the next query opens another.
  pool.on('error', () => {});
  const queries = queriesOn(pool);
  const clock = await followClock(async () => {
    // Not as a refusal: who starts a server is told why it cannot be reached.
    const { rows } = await pool.query('SELECT extract(epoch FROM clock_timestamp()) AS seconds');
    return number(rows[0], 'seconds');
  }).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    dialect: 'postgresql',
    ...queries,
    beside: queries,
    now: clock.now,
    transaction: (work) => inTransaction(pool, work),
    close() {
      clock.close();
      return pool.end();
    },
  };
}

async function inTransaction<T>(pool: Pool, work: (queries: Queries) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch(told);
  // A server that dies tells whoever listens to the connection; our query hears of it anyway.
  const broken = (): void => {};
  client.on('error', broken);
  const giveBack = (error?: Error): void => {
    client.off('error', broken);
    client.release(error);
  };
  try {
    await client.query('BEGIN').catch(told);
    const result = await work(queriesOn(client));
    await client.query('COMMIT').catch(told);
    giveBack();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(() => giveBack(), giveBack);
    throw error;
  }
}

function queriesOn(connection: Pool | PoolClient): Queries {
  const query = (sql: string, params: readonly SqlValue[]) => connection.query(numbered(sql), [...params]).catch(told);
  return {
    all: async (sql, params, decode) => (await query(sql, params)).rows.map(decode),
    get: async (sql, params, decode) => {
      const [row] = (await query(sql, params)).rows;
      return row === undefined ? undefined : decode(row);
    },
    run: async (sql, params: readonly SqlValue[] = []) => (await query(sql, params)).rowCount ?? 0,
  };
}

function told(error: unknown): never {
  if (isUnstorable(error)) throw refusals.textNotStorable();
  throw isUnreachable(error) ? refusals.databaseUnavailable() : orTrouble(error);
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** This database keeps no NUL in a text. */
const isUnstorable = (error: unknown): boolean => codeOf(error) === '22021';

/** There is none, it ends, or it begins: by the system's codes, by its own, and by what the driver says without one. */
const isUnreachable = (error: unknown): boolean =>
  /^(ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08\w{3}|57P0\d|53300)$/.test(
    codeOf(error),
  ) ||
  (error instanceof Error &&
    /^Connection terminated|not queryable$|^timeout exceeded when trying to connect/.test(error.message));

/** `?` → `$1`, `$2` … No statement of ours holds a question mark in a literal. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
