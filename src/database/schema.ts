// Every change to the metadata schema, oldest first, never edited once released. Most statements are understood by both
// databases; where they are not, each has its own.
import type { Database } from './database.ts';

type Statements = Readonly<Record<Database['dialect'], readonly string[]>>;

const both = (...statements: string[]): Statements => ({ sqlite: statements, postgresql: statements });

const keys = both(
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
);

const results = both(
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
);

/** A version may share the bytes of another (canonical_*); what it was made from is a row for each input. */
const registryTables = [
  'ALTER TABLE artifact_versions RENAME COLUMN blob_attempt TO blob_name',
  'ALTER TABLE artifact_versions DROP COLUMN superseded_by',
  'ALTER TABLE artifact_versions ADD COLUMN canonical_id TEXT',
  'ALTER TABLE artifact_versions ADD COLUMN canonical_version BIGINT',
  'CREATE INDEX artifact_versions_by_time ON artifact_versions (created_at, id, version)',
  'CREATE INDEX artifact_versions_by_canonical ON artifact_versions (canonical_id, canonical_version) WHERE canonical_id IS NOT NULL',
  'CREATE INDEX artifact_versions_by_blob ON artifact_versions (blob_name) WHERE blob_name IS NOT NULL',
  "CREATE INDEX artifact_versions_unfinished ON artifact_versions (created_at) WHERE state = 'building'",
  `CREATE TABLE artifact_inputs (
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    position BIGINT NOT NULL,
    input_uri TEXT NOT NULL,
    input_version TEXT NOT NULL,
    input_id TEXT,
    input_number BIGINT,
    PRIMARY KEY (artifact_id, version, position)
  )`,
  'CREATE INDEX artifact_inputs_by_input ON artifact_inputs (input_id, input_number) WHERE input_id IS NOT NULL',
  `CREATE TABLE artifact_names (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant, name)
  )`,
  'CREATE INDEX artifact_names_by_version ON artifact_names (artifact_id, version)',
  `CREATE TABLE artifact_aliases (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    alias TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant, name, alias)
  )`,
  'CREATE INDEX artifact_aliases_by_version ON artifact_aliases (artifact_id, version)',
  `CREATE TABLE artifact_tags (
    tenant TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (tenant, artifact_id, version, key)
  )`,
  'CREATE INDEX artifact_tags_by_key ON artifact_tags (tenant, key, value)',
  `CREATE TABLE registry_audit (
    seq BIGINT PRIMARY KEY,
    at DOUBLE PRECISION NOT NULL,
    actor TEXT,
    action TEXT NOT NULL,
    name TEXT,
    alias TEXT,
    artifact_id TEXT,
    from_artifact_id TEXT,
    from_version BIGINT,
    to_version BIGINT,
    key TEXT,
    value TEXT,
    tenant TEXT NOT NULL
  )`,
  'CREATE INDEX registry_audit_by_name ON registry_audit (tenant, name, seq)',
  'CREATE INDEX registry_audit_by_artifact ON registry_audit (tenant, artifact_id, seq)',
  `CREATE TABLE registry_pending (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    alias TEXT NOT NULL,
    action TEXT NOT NULL,
    artifact_id TEXT,
    version BIGINT,
    requested_by TEXT,
    requested_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant, name, alias)
  )`,
  `CREATE TABLE artifact_publications (
    id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    title TEXT,
    authors TEXT NOT NULL,
    external_ids TEXT NOT NULL,
    published_at DOUBLE PRECISION NOT NULL,
    published_by TEXT,
    revoked_at DOUBLE PRECISION
  )`,
  'CREATE INDEX artifact_publications_by_version ON artifact_publications (artifact_id, version)',
  `CREATE TABLE artifact_pins (
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    reason TEXT NOT NULL,
    tenant TEXT NOT NULL,
    pinned_by TEXT,
    pinned_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (artifact_id, version, reason)
  )`,
  `CREATE TABLE import_staging (
    tenant TEXT NOT NULL,
    content_sha256 TEXT NOT NULL,
    blob_name TEXT NOT NULL,
    byte_size BIGINT NOT NULL,
    staged_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (tenant, content_sha256)
  )`,
];

const sqliteInputs = `INSERT INTO artifact_inputs (artifact_id, version, position, input_uri, input_version, input_id, input_number)
  SELECT v.id, v.version, ROW_NUMBER() OVER (PARTITION BY v.id, v.version) - 1, i.key, i.value,
    CASE WHEN i.key LIKE 'svc://artifact/%@v=%' THEN SUBSTR(i.value, 1, INSTR(i.value, '@v=') - 1) END,
    CASE WHEN i.key LIKE 'svc://artifact/%@v=%' THEN CAST(SUBSTR(i.value, INSTR(i.value, '@v=') + 3) AS INTEGER) END
  FROM artifact_versions v, json_each(v.input_versions) i WHERE v.input_versions IS NOT NULL`;
const postgresInputs = `INSERT INTO artifact_inputs (artifact_id, version, position, input_uri, input_version, input_id, input_number)
  SELECT v.id, v.version, ROW_NUMBER() OVER (PARTITION BY v.id, v.version) - 1, i.key, i.value,
    CASE WHEN i.key LIKE 'svc://artifact/%@v=%' THEN split_part(i.value, '@v=', 1) END,
    CASE WHEN i.key LIKE 'svc://artifact/%@v=%' THEN CAST(split_part(i.value, '@v=', 2) AS BIGINT) END
  FROM artifact_versions v, json_each_text(v.input_versions::json) i WHERE v.input_versions IS NOT NULL`;

/** Small values of a notebook's own store lie in the database, where one commit makes them durable. */
const bytesTable = (type: string): string => `CREATE TABLE artifact_bytes (
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    bytes ${type} NOT NULL,
    PRIMARY KEY (artifact_id, version)
  )`;

/** Which node of a deployment holds a stream. */
const streamOwners = [
  `CREATE TABLE stream_owners (
    stream_id TEXT PRIMARY KEY,
    node_url TEXT NOT NULL,
    registered_at DOUBLE PRECISION NOT NULL,
    expires_at DOUBLE PRECISION NOT NULL
  )`,
];

/** The server's registry of workers, as one value. */
const workersTable = ['CREATE TABLE notebook_workers (id BIGINT PRIMARY KEY, workers TEXT NOT NULL)'];
const workers: Statements = { sqlite: workersTable, postgresql: workersTable };

/** Transforms on their way to results: who works on each, until when it may, and what came of it. */
const builds = both(
  `CREATE TABLE builds (
    build_id TEXT PRIMARY KEY,
    artifact_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    executor_ref TEXT NOT NULL,
    state TEXT NOT NULL,
    tenant TEXT NOT NULL,
    pool TEXT NOT NULL,
    principal TEXT,
    name TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    started_at DOUBLE PRECISION,
    completed_at DOUBLE PRECISION,
    error_code TEXT,
    error_message TEXT,
    lease_owner TEXT,
    lease_expires_at DOUBLE PRECISION,
    attempts BIGINT NOT NULL DEFAULT 0,
    output_bytes BIGINT,
    FOREIGN KEY (artifact_id, version) REFERENCES artifact_versions (id, version) ON DELETE CASCADE
  )`,
  "CREATE INDEX builds_unfinished ON builds (created_at) WHERE state IN ('pending', 'building')",
  'CREATE INDEX builds_by_day ON builds (pool, completed_at)',
  'CREATE INDEX builds_by_version ON builds (artifact_id, version)',
  `CREATE TABLE build_attempts (
    build_id TEXT NOT NULL REFERENCES builds (build_id) ON DELETE CASCADE,
    attempt TEXT NOT NULL,
    blob_name TEXT NOT NULL,
    byte_size BIGINT NOT NULL,
    content_sha256 TEXT NOT NULL,
    arrow_schema TEXT,
    row_count BIGINT,
    problem TEXT,
    uploaded_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (build_id, attempt)
  )`,
  'CREATE INDEX build_attempts_by_blob ON build_attempts (blob_name)',
);

/** Where somebody outside may still bring bytes: `look_at` is when what came there is looked for next. */
const lateUploads = both(
  `CREATE TABLE late_uploads (
    blob_name TEXT PRIMARY KEY,
    until DOUBLE PRECISION NOT NULL,
    look_at DOUBLE PRECISION NOT NULL,
    wait DOUBLE PRECISION NOT NULL
  )`,
  'CREATE INDEX late_uploads_by_time ON late_uploads (look_at)',
);

/** What a failed run had printed. */
const failedConsoles = both(
  "ALTER TABLE cell_failures ADD COLUMN stdout TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE cell_failures ADD COLUMN stderr TEXT NOT NULL DEFAULT ''",
);

/** What would help a cell that failed for a missing package, as JSON; NULL where nobody kept it. */
const failedInstalls = both('ALTER TABLE cell_failures ADD COLUMN install TEXT');

/** The newest number of versions that are gone: it is not given to another. */
const numbersOfGone = both('CREATE TABLE artifact_numbers (id TEXT PRIMARY KEY, newest BIGINT NOT NULL)');

/** Which notebook a session is about: another server can go on with it. */
const sessionPlaces = both(
  `CREATE TABLE notebook_sessions (
    session_id TEXT PRIMARY KEY,
    directory TEXT NOT NULL,
    tenant TEXT,
    principal TEXT,
    noted_at DOUBLE PRECISION NOT NULL
  )`,
);

const tagsByVersion = 'CREATE INDEX IF NOT EXISTS artifact_tags_by_version ON artifact_tags (artifact_id, version)';

/** What a store of many people is asked for is found by an index, however much it holds. One notebook's own is small, and every
 *  index costs each of its cells. */
const found: Statements = {
  sqlite: [tagsByVersion],
  postgresql: [
    tagsByVersion,
    'CREATE INDEX IF NOT EXISTS artifact_versions_by_state ON artifact_versions (state, created_at, id, version)',
    'CREATE INDEX IF NOT EXISTS artifact_versions_by_size ON artifact_versions (byte_size, id, version)',
    'CREATE INDEX IF NOT EXISTS artifact_versions_by_rows ON artifact_versions (row_count, id, version)',
    'CREATE INDEX IF NOT EXISTS artifact_names_by_text ON artifact_names (name COLLATE "C")',
  ],
};

export const migrations: readonly Statements[] = [
  keys,
  results,
  {
    sqlite: [...registryTables, sqliteInputs, bytesTable('BLOB')],
    postgresql: [...registryTables, postgresInputs, bytesTable('BYTEA')],
  },
  { sqlite: streamOwners, postgresql: streamOwners },
  workers,
  builds,
  lateUploads,
  failedConsoles,
  numbersOfGone,
  sessionPlaces,
  found,
  failedInstalls,
];
