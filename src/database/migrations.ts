// Applies the changes to the metadata schema, in order. Each runs in one transaction together with the row that records it,
// so a start that dies halfway begins again from the last complete version.
import type { Database, Queries } from './database.ts';
import { number } from './rows.ts';
import { migrations } from './schema.ts';

export const newestVersion = migrations.length;

export class StoreTooNew extends Error {
  override readonly name = 'StoreTooNew';
}

export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (queries) => {
    if (database.dialect === 'postgresql') await queries.run('SELECT pg_advisory_xact_lock(7431)');
    await queries.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)');
    const current = await currentVersion(queries);
    if (current > newestVersion) {
      throw new StoreTooNew(
        `The artifact store has schema version ${current}; this program knows up to ${newestVersion}. Start a newer version of svc.`,
      );
    }
    for (const [index, statements] of migrations.entries()) {
      if (index < current) continue;
      for (const statement of statements[database.dialect]) await queries.run(statement);
      await queries.run('INSERT INTO schema_version (version) VALUES (?)', [index + 1]);
    }
  });
}

/** 0 for a database that holds no store. */
export async function storedVersion(database: Database): Promise<number> {
  const catalogue =
    database.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE name = 'schema_version'"
      : "SELECT table_name FROM information_schema.tables WHERE table_name = 'schema_version' AND table_schema = current_schema()";
  return (await database.get(catalogue, [], () => true)) ? currentVersion(database) : 0;
}

async function currentVersion(queries: Pick<Queries, 'get'>): Promise<number> {
  const found = await queries.get('SELECT COALESCE(MAX(version), 0) AS version FROM schema_version', [], (row) =>
    number(row, 'version'),
  );
  return found ?? 0;
}
