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

async function currentVersion(queries: Queries): Promise<number> {
  const found = await queries.get('SELECT COALESCE(MAX(version), 0) AS version FROM schema_version', [], (row) =>
    number(row, 'version'),
  );
  return found ?? 0;
}
