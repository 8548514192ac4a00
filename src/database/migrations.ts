// Every change to the metadata schema, in order, never edited once released. Each runs in one transaction together with
// the row that records it, so a start that dies halfway begins again from the last complete version.
import type { Database, Queries } from './database.ts';
import { number } from './rows.ts';

interface Migration {
  readonly version: number;
  readonly statements: readonly string[];
}

const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE api_keys (
        key_id TEXT PRIMARY KEY,
        key_hash TEXT NOT NULL,
        principal_id TEXT NOT NULL,
        tenant TEXT,
        scopes TEXT NOT NULL,
        description TEXT,
        created_at DOUBLE PRECISION NOT NULL,
        expires_at DOUBLE PRECISION,
        revoked_at DOUBLE PRECISION,
        last_used_at DOUBLE PRECISION
      )`,
    ],
  },
  {
    version: 2,
    statements: [
      `CREATE TABLE artifact_versions (
        id TEXT NOT NULL,
        version BIGINT NOT NULL,
        state TEXT NOT NULL,
        provenance_hash TEXT NOT NULL,
        schema_json TEXT,
        row_count BIGINT,
        byte_size BIGINT,
        created_at DOUBLE PRECISION NOT NULL,
        transform_spec TEXT,
        input_versions TEXT,
        tenant TEXT NOT NULL DEFAULT '',
        principal TEXT,
        content_sha256 TEXT,
        blob_attempt TEXT,
        last_used_at DOUBLE PRECISION,
        minted BIGINT NOT NULL DEFAULT 0,
        superseded_by TEXT,
        PRIMARY KEY (id, version)
      )`,
      'CREATE INDEX artifact_versions_by_provenance ON artifact_versions (tenant, provenance_hash)',
      `CREATE TABLE cell_results (
        cell_id TEXT NOT NULL,
        provenance_hash TEXT NOT NULL,
        record TEXT NOT NULL,
        created_at DOUBLE PRECISION NOT NULL,
        PRIMARY KEY (cell_id, provenance_hash)
      )`,
      `CREATE TABLE cell_failures (
        cell_id TEXT PRIMARY KEY,
        text TEXT NOT NULL,
        source_digest TEXT NOT NULL
      )`,
    ],
  },
];

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
    for (const { version, statements } of migrations.slice(current)) {
      for (const statement of statements) await queries.run(statement);
      await queries.run('INSERT INTO schema_version (version) VALUES (?)', [version]);
    }
  });
}

async function currentVersion(queries: Queries): Promise<number> {
  const found = await queries.get('SELECT COALESCE(MAX(version), 0) AS version FROM schema_version', [], (row) =>
    number(row, 'version'),
  );
  return found ?? 0;
}
