// Texts as every database keeps them. PostgreSQL takes no NUL, and half of a character comes back as another one: what holds
// either is refused before it is written, whichever database there is.
import type { Database, Queries, SqlValue } from '../database/index.ts';
import { refusals } from '../errors/index.ts';

export const withKeepableTexts = (database: Database): Database => ({
  ...checked(database),
  dialect: database.dialect,
  beside: checked({ ...database.beside, run: database.run }),
  now: database.now,
  transaction: (work) => database.transaction((queries) => work(checked(queries))),
  close: () => database.close(),
});

/** Each rejects; none throws before there is a promise. */
const checked = (queries: Queries): Queries => ({
  all: async (sql, params, decode) => queries.all(sql, keepable(params), decode),
  get: async (sql, params, decode) => queries.get(sql, keepable(params), decode),
  run: async (sql, params = []) => queries.run(sql, keepable(params)),
});

function keepable(params: readonly SqlValue[]): readonly SqlValue[] {
  for (const value of params)
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) throw refusals.textUnkeepable();
  return params;
}
