// Taking a version out: its names, aliases, tags and pins go with it. Versions that share its bytes inherit them: the first
// becomes their owner, the others share with that one, and no byte is copied.
import { type Queries, text } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import { blobNameOf } from './blobs/blobs.ts';
import type { StoreParts } from './parts.ts';
import { recordAudit } from './registry/audit.ts';
import { findVersion, versionOf } from './rows.ts';
import type { ArtifactAddress, ArtifactVersion } from './types.ts';

/** False when there is no such version. Refuses while it is published. */
export async function removeVersion(
  parts: StoreParts,
  address: ArtifactAddress,
  principal: string | null,
): Promise<boolean> {
  const blob = await parts.database.transaction(async (queries) => {
    const version = await findVersion(queries, address);
    if (!version) return undefined;
    await refusePublished(queries, address);
    return { name: await removeRow(parts, queries, version, principal) };
  });
  if (!blob) return false;
  if (blob.name !== undefined) await parts.blobs.remove(blob.name);
  return true;
}

/** Gives the name of the bytes that nobody needs any more. */
export async function removeRow(
  parts: StoreParts,
  queries: Queries,
  version: ArtifactVersion,
  principal: string | null,
): Promise<string | undefined> {
  const inherited = await handOver(queries, version);
  await removePointers(parts, queries, version, principal);
  const where = [version.id, version.version];
  for (const table of ['artifact_tags', 'artifact_pins', 'artifact_inputs', 'registry_pending'])
    await queries.run(`DELETE FROM ${table} WHERE artifact_id = ? AND version = ?`, where);
  await queries.run('DELETE FROM artifact_versions WHERE id = ? AND version = ?', where);
  return inherited || version.canonical !== null ? undefined : blobNameOf(version);
}

async function refusePublished(queries: Queries, { id, version }: ArtifactAddress): Promise<void> {
  const publication = await queries.get(
    'SELECT id FROM artifact_publications WHERE artifact_id = ? AND version = ? AND revoked_at IS NULL LIMIT 1',
    [id, version],
    (row) => text(row, 'id'),
  );
  if (publication !== undefined) throw refusals.artifactPublished(id, version, publication);
}

async function handOver(queries: Queries, owner: ArtifactVersion): Promise<boolean> {
  const sharing = [owner.id, owner.version];
  const heir = await queries.get(
    'SELECT * FROM artifact_versions WHERE canonical_id = ? AND canonical_version = ? ORDER BY created_at, id, version LIMIT 1',
    sharing,
    versionOf,
  );
  if (!heir) return false;
  await queries.run(
    'UPDATE artifact_versions SET canonical_id = NULL, canonical_version = NULL, blob_name = ? WHERE id = ? AND version = ?',
    [blobNameOf(owner), heir.id, heir.version],
  );
  await queries.run(
    'UPDATE artifact_versions SET canonical_id = ?, canonical_version = ? WHERE canonical_id = ? AND canonical_version = ?',
    [heir.id, heir.version, ...sharing],
  );
  return true;
}

async function removePointers(
  { database, now }: StoreParts,
  queries: Queries,
  { id, version }: ArtifactAddress,
  principal: string | null,
): Promise<void> {
  const where = 'WHERE artifact_id = ? AND version = ?';
  const gone = { actor: principal, artifactId: id, fromArtifactId: id, fromVersion: version };
  const names = await queries.all(`SELECT tenant, name FROM artifact_names ${where}`, [id, version], (row) => ({
    tenant: text(row, 'tenant'),
    name: text(row, 'name'),
  }));
  const aliases = await queries.all(
    `SELECT tenant, name, alias FROM artifact_aliases ${where}`,
    [id, version],
    (row) => ({ tenant: text(row, 'tenant'), name: text(row, 'name'), alias: text(row, 'alias') }),
  );
  for (const name of names)
    await recordAudit(queries, database.dialect, now(), { ...gone, ...name, action: 'name_delete' });
  for (const alias of aliases)
    await recordAudit(queries, database.dialect, now(), { ...gone, ...alias, action: 'alias_delete' });
  for (const table of ['artifact_names', 'artifact_aliases'])
    await queries.run(`DELETE FROM ${table} ${where}`, [id, version]);
}
