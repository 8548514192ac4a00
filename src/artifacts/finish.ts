// How a version comes to its end: ready with its bytes, or a pointer at the same result that somebody else has come to first.
import type { Queries } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import type { StoreParts } from './parts.ts';
import { type Actor, pointName } from './registry/names.ts';
import { findReady, findVersion, lockKey } from './rows.ts';
import type { StagedBytes } from './staging.ts';
import type { ArtifactAddress, ArtifactVersion } from './types.ts';

export interface FinishedFacts {
  readonly schema: string;
  readonly rowCount: number;
  readonly name: string | null;
  readonly actor: Actor;
}

/** Bytes that are durable under a name that no version has yet. */
export interface PlacedBytes extends Omit<StagedBytes, 'file'> {
  readonly blobName: string;
}

export type Finish = (
  address: ArtifactAddress,
  facts: FinishedFacts,
  bring: (queries: Queries) => Promise<PlacedBytes | undefined>,
) => Promise<ArtifactVersion>;

export function createFinish(parts: StoreParts): Finish {
  const { database, blobs, now } = parts;
  const lock = (queries: Queries, key: string): Promise<void> => lockKey(queries, database.dialect, key);

  /** What a finished version becomes: ready, or a pointer at the result that another id has come to before it. */
  async function settle(queries: Queries, finished: ArtifactVersion): Promise<ArtifactVersion> {
    await lock(queries, `provenance:${finished.tenant}:${finished.provenanceHash}`);
    const canonical = await findReady(queries, finished.tenant, finished.provenanceHash);
    if (!canonical || canonical.id === finished.id) {
      await overtake(queries, finished.id);
      return finished;
    }
    return {
      ...finished,
      state: 'superseded',
      byteSize: canonical.byteSize,
      contentSha256: canonical.contentSha256,
      canonical: { id: canonical.id, version: canonical.version },
      blobName: null,
    };
  }

  /** `bring` may give the bytes; otherwise they were uploaded before. */
  async function finish(
    address: ArtifactAddress,
    { schema, rowCount, name, actor }: FinishedFacts,
    bring: (queries: Queries) => Promise<PlacedBytes | undefined>,
  ): Promise<ArtifactVersion> {
    const unneeded: string[] = [];
    const result = await database.transaction(async (queries) => {
      await lock(queries, `id:${address.id}`);
      const brought = await bring(queries);
      const version = await findVersion(queries, address);
      if (!version) throw refusals.artifactNotFound();
      if (version.state === 'ready' && !brought) {
        if (name !== null) await pointName(parts, queries, actor, name, version);
        return version;
      }
      if (version.state !== 'building') throw refusals.artifactNotBuilding(version.state);
      const whole = brought ? { ...version, ...contentOf(brought), blobName: brought.blobName } : version;
      if (whole.blobName === null) throw refusals.blobNotUploaded();
      if (version.blobName !== null && version.blobName !== whole.blobName) unneeded.push(version.blobName);
      const settled = await settle(queries, { ...whole, state: 'ready', schema, rowCount, lastUsedAt: now() });
      await writeFinished(queries, settled);
      if (settled.canonical !== null) unneeded.push(whole.blobName);
      const answer = settled.canonical === null ? settled : await findVersion(queries, settled.canonical);
      if (!answer) throw refusals.artifactNotFound();
      if (name !== null) await pointName(parts, queries, actor, name, answer);
      return answer;
    });
    for (const blob of unneeded) await blobs.remove(blob);
    return result;
  }

  return finish;
}

export const contentOf = ({ byteSize, sha256 }: Omit<StagedBytes, 'file'>) => ({ byteSize, contentSha256: sha256 });

/** An id's older results keep their bytes, as earlier values. */
export const overtake = (queries: Queries, id: string): Promise<number> =>
  queries.run("UPDATE artifact_versions SET state = 'superseded' WHERE id = ? AND state = 'ready'", [id]);

async function writeFinished(queries: Queries, row: ArtifactVersion): Promise<void> {
  await queries.run(
    `UPDATE artifact_versions SET state = ?, schema_json = ?, row_count = ?, byte_size = ?, content_sha256 = ?,
       last_used_at = ?, blob_name = ?, canonical_id = ?, canonical_version = ?
     WHERE id = ? AND version = ?`,
    [
      row.state,
      row.schema,
      row.rowCount,
      row.byteSize,
      row.contentSha256,
      row.lastUsedAt,
      row.blobName,
      row.canonical?.id ?? null,
      row.canonical?.version ?? null,
      row.id,
      row.version,
    ],
  );
}
