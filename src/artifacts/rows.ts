// Versions as rows: how they are read, written and found. What several statements must do together is in `store.ts`.
import {
  type Database,
  number as numberOf,
  numberOrNull,
  type Queries,
  type Row,
  text,
  textOrNull,
} from '../database/index.ts';
import { type ArtifactAddress, type ArtifactVersion, artifactStates, parseAddress } from './types.ts';

export function versionOf(row: Row): ArtifactVersion {
  const state = artifactStates.find((known) => known === row.state);
  if (state === undefined) throw new TypeError(`An artifact version has the unknown state ${String(row.state)}.`);
  const canonicalId = textOrNull(row, 'canonical_id');
  return {
    id: text(row, 'id'),
    version: numberOf(row, 'version'),
    state,
    provenanceHash: text(row, 'provenance_hash'),
    schema: textOrNull(row, 'schema_json'),
    byteSize: numberOrNull(row, 'byte_size'),
    rowCount: numberOrNull(row, 'row_count'),
    createdAt: numberOf(row, 'created_at'),
    lastUsedAt: numberOrNull(row, 'last_used_at'),
    contentSha256: textOrNull(row, 'content_sha256'),
    transformSpec: textOrNull(row, 'transform_spec'),
    inputVersions: textOrNull(row, 'input_versions'),
    tenant: text(row, 'tenant'),
    principal: textOrNull(row, 'principal'),
    minted: numberOf(row, 'minted') === 1,
    canonical: canonicalId === null ? null : { id: canonicalId, version: numberOf(row, 'canonical_version') },
    blobName: textOrNull(row, 'blob_name'),
  };
}

export const addressOf = (row: Row): ArtifactAddress => ({
  id: text(row, 'artifact_id'),
  version: numberOf(row, 'version'),
});

export const findVersion = (queries: Queries, { id, version }: ArtifactAddress): Promise<ArtifactVersion | undefined> =>
  queries.get('SELECT * FROM artifact_versions WHERE id = ? AND version = ?', [id, version], versionOf);

/** The one version that is the result of this computation for this tenant. */
export const findReady = (
  queries: Queries,
  tenant: string,
  provenanceHash: string,
): Promise<ArtifactVersion | undefined> =>
  queries.get(
    "SELECT * FROM artifact_versions WHERE tenant = ? AND provenance_hash = ? AND state = 'ready' ORDER BY created_at DESC LIMIT 1",
    [tenant, provenanceHash],
    versionOf,
  );

/** Versions are counted over all states, and a number is never given twice while a higher one is there. */
export async function nextVersion(queries: Queries, id: string): Promise<number> {
  const newest = await queries.get(
    `SELECT MAX(number) AS newest FROM (
       SELECT MAX(version) AS number FROM artifact_versions WHERE id = ?
       UNION ALL SELECT newest AS number FROM artifact_numbers WHERE id = ?) AS numbers`,
    [id, id],
    (row) => numberOrNull(row, 'newest'),
  );
  return (newest ?? 0) + 1;
}

export async function insertVersion(queries: Queries, row: ArtifactVersion): Promise<void> {
  await queries.run(
    `INSERT INTO artifact_versions
       (id, version, state, provenance_hash, schema_json, row_count, byte_size, created_at, transform_spec, input_versions,
        tenant, principal, content_sha256, blob_name, last_used_at, minted, canonical_id, canonical_version)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      row.id,
      row.version,
      row.state,
      row.provenanceHash,
      row.schema,
      row.rowCount,
      row.byteSize,
      row.createdAt,
      row.transformSpec,
      row.inputVersions,
      row.tenant,
      row.principal,
      row.contentSha256,
      row.blobName,
      row.lastUsedAt,
      row.minted ? 1 : 0,
      row.canonical?.id ?? null,
      row.canonical?.version ?? null,
    ],
  );
  await insertInputs(queries, row);
}

async function insertInputs(queries: Queries, { id, version, inputVersions }: ArtifactVersion): Promise<void> {
  for (const [position, input] of recordedInputs(inputVersions).entries()) {
    await queries.run(
      `INSERT INTO artifact_inputs (artifact_id, version, position, input_uri, input_version, input_id, input_number)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [id, version, position, input.uri, input.version, input.address?.id ?? null, input.address?.version ?? null],
    );
  }
}

export interface Input {
  readonly uri: string;
  readonly version: string;
  /** The version it stands for, when it is an artifact or a name of one. */
  readonly address: ArtifactAddress | undefined;
}

/** What a version was made from, in the order in which it was recorded. */
export function recordedInputs(inputVersions: string | null): Input[] {
  if (inputVersions === null) return [];
  const recorded: unknown = JSON.parse(inputVersions);
  if (typeof recorded !== 'object' || recorded === null) return [];
  return Object.entries(recorded).map(([uri, value]) => {
    const version = String(value);
    const isArtifact = uri.startsWith('svc://artifact/') || uri.startsWith('svc://name/');
    return { uri, version, address: isArtifact ? parseAddress(version) : undefined };
  });
}

/** Holds back whoever locks the same key until the transaction ends; where writers take turns anyway, nothing to do. */
export async function lockKey(queries: Queries, dialect: Database['dialect'], key: string): Promise<void> {
  if (dialect === 'postgresql') await queries.run('SELECT pg_advisory_xact_lock(hashtextextended(?, 7432))', [key]);
}
