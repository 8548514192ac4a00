// PostgreSQL, for servers that share one store. The driver is loaded only when a DSN is configured.
import type { Pool, PoolClient } from 'pg';
import { orStorageFull, refusals } from '../errors/index.ts';
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
    const sql = 'SELECT extract(epoch FROM clock_timestamp()) AS seconds';
    return (await queries.get(sql, [], (row) => number(row, 'seconds'))) ?? Number.NaN;
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
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(queriesOn(client));
    await client.query('COMMIT');
    client.release();
    return result;
  } catch (error) {
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    );
    throw error;
  }
}

function queriesOn(connection: Pool | PoolClient): Queries {
  const query = (sql: string, params: readonly SqlValue[]) =>
    connection.query(numbered(sql), [...params]).catch((error: unknown) => {
      throw isUnstorable(error) ? refusals.textNotStorable() : orStorageFull(error);
    });
  return {
    all: async (sql, params, decode) => (await query(sql, params)).rows.map(decode),
    get: async (sql, params, decode) => {
      const [row] = (await query(sql, params)).rows;
      return row === undefined ? undefined : decode(row);
    },
    run: async (sql, params: readonly SqlValue[] = []) => (await query(sql, params)).rowCount ?? 0,
  };
}

/** This database keeps no NUL in a text. */
const isUnstorable = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '22021';

/** `?` → `$1`, `$2` … No statement of ours holds a question mark in a literal. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
