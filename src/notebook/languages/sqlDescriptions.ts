// What queries say, asked of a process once for each text: a look after an edit asks for what is new alone.
import { createRecentlyUsed } from '../../recentlyUsed.ts';
import { type Description, describeSql, type SqlBody, type SqlProcesses } from '../../sql/index.ts';

type Asked = Pick<SqlBody, 'statements'> & { readonly dialect: Parameters<typeof describeSql>[1][number]['dialect'] };

const kept = 500;

export function createDescriber(processes: SqlProcesses): (queries: readonly Asked[]) => Promise<Description[]> {
  const known = createRecentlyUsed<Description>(kept);
  const keyOf = ({ statements, dialect }: Asked): string =>
    JSON.stringify([dialect, statements.map(({ text }) => text)]);

  return async (queries) => {
    const fresh = queries.filter((query) => known.get(keyOf(query)) === undefined);
    const found = fresh.length === 0 ? [] : await describeSql(processes, fresh);
    const byKey = new Map(fresh.map((query, index) => [keyOf(query), found[index]]));
    return queries.map((query) => {
      const key = keyOf(query);
      const description = known.get(key) ?? byKey.get(key);
      if (!description) throw new Error('A query was described by nothing.');
      known.set(key, description);
      return description;
    });
  };
}
