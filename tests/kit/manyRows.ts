// A store that has grown for years, without its bytes: as many versions as wanted, and of everything else what comes with them.
import type { Database } from '../../src/database/index.ts';

/** For PostgreSQL. Every tenth version has a name, most were made from the one before; a thousandth waits for something. */
const statements = (versions: number): readonly string[] => {
  const some = (step: number): string => `generate_series(0, ${versions - 1}, ${step}) AS i`;
  return [
    `INSERT INTO artifact_versions (id, version, state, provenance_hash, row_count, byte_size, created_at, last_used_at, minted, blob_name, tenant)
     SELECT 'artifact-' || i, 1, CASE WHEN i % 1000 = 7 THEN 'building' ELSE 'ready' END, 'hash-' || i, i, i * 10,
       1000000 + i, 1000000 + i, 1, 'blob-' || i, '' FROM ${some(1)}`,
    `INSERT INTO artifact_inputs SELECT 'artifact-' || i, 1, 0, 'svc://artifact/artifact-' || (i - 1) || '@v=1', 'x',
       'artifact-' || (i - 1), 1 FROM ${some(1)} WHERE i % 10 > 0`,
    `INSERT INTO artifact_names SELECT '', 'team-' || (i % 7) || '/name-' || i, 'artifact-' || i, 1, i FROM ${some(10)}`,
    `INSERT INTO artifact_aliases SELECT '', 'team-' || (i % 7) || '/name-' || i, 'champion', 'artifact-' || i, 1, i FROM ${some(20)}`,
    `INSERT INTO artifact_tags SELECT '', 'artifact-' || i, 1, 'quarter', 'q' || (i % 20000) FROM ${some(10)}`,
    `INSERT INTO artifact_pins SELECT 'artifact-' || i, 1, 'kept', '', 'ann', i FROM ${some(100)}`,
    `INSERT INTO registry_audit (seq, at, actor, action, name, artifact_id, to_version, tenant)
     SELECT i + 1, i, 'ann', 'name.set', 'team-' || (i % 7) || '/name-' || i, 'artifact-' || i, 1, '' FROM ${some(2)}`,
    `INSERT INTO artifact_publications SELECT 'publication-' || i, '', 'artifact-' || i, 1, 'T', '[]', '[]', i, 'ann', NULL
     FROM ${some(100)}`,
    `INSERT INTO builds (build_id, artifact_id, version, executor_ref, state, tenant, pool, created_at, completed_at)
     SELECT 'build-' || i, 'artifact-' || i, 1, 'x@v1', 'ready', '', 'bulk', i, i + 1 FROM ${some(2)}`,
    `INSERT INTO api_keys (key_id, key_hash, principal_id, scopes, created_at)
     SELECT 'key-' || i, 'hash', 'person-' || i, '[]', i FROM ${some(100)}`,
    `INSERT INTO stream_owners SELECT 'stream-' || i, 'http://node', 1, 1 FROM ${some(100)}`,
    `INSERT INTO notebook_sessions SELECT 'session-' || i, '/notebooks/' || i, NULL, NULL, 4102444800 FROM ${some(10)}`,
    'ANALYZE',
  ];
};

export async function fillRows(database: Database, versions: number): Promise<void> {
  for (const statement of statements(versions)) await database.run(statement);
}
