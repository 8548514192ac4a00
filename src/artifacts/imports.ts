// Versions copied from another store, with their own numbers and dates. Bytes come first, staged under their digest, or
// with the record; both must be what the record says. Sending the same record again changes nothing.
import { createHash } from 'node:crypto';
import { type Queries, text } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import { freshBlobName } from './blobs/blobs.ts';
import type { StoreParts } from './parts.ts';
import { findReady, findVersion, insertVersion, lockKey } from './rows.ts';
import type { StagedBytes } from './staging.ts';
import type { ArtifactAddress, ArtifactVersion, Content, Origin } from './types.ts';

export interface ImportRecord extends ArtifactAddress, Omit<Origin, 'tenant'>, Content {
  readonly state: 'ready' | 'superseded';
  readonly createdAt: number;
}

export interface Imported extends ArtifactAddress {
  /** False when it was there already. */
  readonly written: boolean;
  /** It landed under another id than the record's. */
  readonly remapped: boolean;
}

export interface Imports {
  stage(tenant: string, digest: string, bytes: StagedBytes): Promise<void>;
  /** Without bytes, those staged before under the record's digest are taken. */
  land(tenant: string, record: ImportRecord, bytes: StagedBytes | undefined, remap: boolean): Promise<Imported>;
  /** Forgets what was staged before the moment. */
  sweep(before: number): Promise<void>;
}

export function createImports(parts: StoreParts): Imports {
  const { database, blobs, staging, now } = parts;

  const stagedBlob = (queries: Queries, tenant: string, digest: string): Promise<string | undefined> =>
    queries.get(
      'SELECT blob_name FROM import_staging WHERE tenant = ? AND content_sha256 = ?',
      [tenant, digest],
      (row) => text(row, 'blob_name'),
    );

  async function adopted(tenant: string, id: string, digest: string | null, bytes: StagedBytes | undefined) {
    if (!bytes) {
      const name = digest === null ? undefined : await stagedBlob(database, tenant, digest);
      if (name === undefined) throw refusals.bytesNotStaged(digest ?? '');
      return { name, staged: true };
    }
    if (digest !== null && digest !== bytes.sha256) {
      await staging.discard(bytes);
      throw refusals.contentDigestMismatch(digest, bytes.sha256);
    }
    const name = freshBlobName(id);
    await blobs.adopt([{ name, file: bytes.file }]);
    return { name, staged: false };
  }

  /** Where the record is to land, or the version that it already is. */
  async function place(queries: Queries, tenant: string, record: ImportRecord, remap: boolean): Promise<Place> {
    const known = await findReady(queries, tenant, record.provenanceHash);
    if (known && record.state === 'ready') return { is: known };
    const there = await findVersion(queries, record);
    const same = there?.tenant === tenant && there.provenanceHash === record.provenanceHash;
    if (there && same) return { is: there };
    const foreign = await queries.get(
      'SELECT 1 AS found FROM artifact_versions WHERE id = ? AND tenant <> ? LIMIT 1',
      [record.id, tenant],
      () => true,
    );
    if (!there && !foreign) return { at: record.id };
    if (!remap) {
      const why = foreign ? ' under another tenant' : ', holding a different computation';
      throw refusals.importConflict(record.id, record.version, why);
    }
    const mark = createHash('sha256').update(`${tenant}\0${record.id}\0${record.provenanceHash}`).digest('hex');
    const id = `${record.id}@import=${mark.slice(0, 8)}`;
    const before = await findVersion(queries, { id, version: record.version });
    return before ? { is: before } : { at: id };
  }

  return {
    async stage(tenant, digest, bytes) {
      if (bytes.sha256 !== digest) {
        await staging.discard(bytes);
        throw refusals.digestMismatch(digest, bytes.sha256);
      }
      const name = freshBlobName(`import-${digest}`);
      await blobs.adopt([{ name, file: bytes.file }]);
      const before = await database.transaction(async (queries) => {
        const known = await stagedBlob(queries, tenant, digest);
        await queries.run(
          `INSERT INTO import_staging (tenant, content_sha256, blob_name, byte_size, staged_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (tenant, content_sha256) DO UPDATE SET
             blob_name = excluded.blob_name, byte_size = excluded.byte_size, staged_at = excluded.staged_at`,
          [tenant, digest, name, bytes.byteSize, now()],
        );
        return known;
      });
      if (before !== undefined) await blobs.remove(before);
    },

    async land(tenant, record, bytes, remap) {
      const early = await place(database, tenant, record, remap);
      if ('is' in early) {
        if (bytes) await staging.discard(bytes);
        return landed(record, early.is, false);
      }
      const { name, staged } = await adopted(tenant, record.id, record.contentSha256, bytes);
      const outcome = await database.transaction(async (queries) => {
        await lockKey(queries, database.dialect, `provenance:${tenant}:${record.provenanceHash}`);
        await lockKey(queries, database.dialect, `id:${record.id}`);
        const where = await place(queries, tenant, record, remap);
        if ('is' in where) return landed(record, where.is, false);
        const version: ArtifactVersion = {
          ...record,
          ...(bytes && { byteSize: bytes.byteSize, contentSha256: bytes.sha256 }),
          id: where.at,
          tenant,
          lastUsedAt: now(),
          minted: false,
          canonical: null,
          blobName: name,
        };
        if (record.state === 'ready')
          await queries.run("UPDATE artifact_versions SET state = 'superseded' WHERE id = ? AND state = 'ready'", [
            where.at,
          ]);
        await insertVersion(queries, version);
        if (staged)
          await queries.run('DELETE FROM import_staging WHERE tenant = ? AND content_sha256 = ?', [
            tenant,
            record.contentSha256,
          ]);
        return landed(record, version, true);
      });
      if (!outcome.written && !staged) await blobs.remove(name);
      return outcome;
    },

    async sweep(before) {
      const old = await database.all('SELECT blob_name FROM import_staging WHERE staged_at < ?', [before], (row) =>
        text(row, 'blob_name'),
      );
      await database.run('DELETE FROM import_staging WHERE staged_at < ?', [before]);
      for (const name of old) await blobs.remove(name);
    },
  };
}

type Place = { readonly is: ArtifactVersion } | { readonly at: string };

const landed = (record: ArtifactAddress, { id, version }: ArtifactAddress, written: boolean): Imported => ({
  id,
  version,
  written,
  remapped: id !== record.id && id.startsWith(`${record.id}@import=`),
});
