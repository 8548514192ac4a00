// The life of a version: building, ready, superseded, failed. For one tenant and one computation at most one version is
// ready; whoever comes to the same result later shares its bytes. Bytes are durable before a row says so.
import { randomUUID } from 'node:crypto';
import type { Queries } from '../database/index.ts';
import { refusals } from '../errors/index.ts';
import { type Blob, blobNameOf, freshBlobName } from './blobs/blobs.ts';
import { contentOf, createFinish, type FinishedFacts, overtake, type PlacedBytes } from './finish.ts';
import type { StoreParts } from './parts.ts';
import { type Actor, pointName } from './registry/names.ts';
import { findReady, findVersion, insertVersion, lockKey, nextVersion } from './rows.ts';
import type { StagedBytes } from './staging.ts';
import type { ArtifactAddress, ArtifactVersion, Origin } from './types.ts';

export type { FinishedFacts, PlacedBytes } from './finish.ts';

/** A computed result on its way into the store. */
export interface NewResult extends Origin {
  /** Chosen by the caller; null mints one. */
  readonly id: string | null;
  readonly schema: string | null;
  readonly rowCount: number | null;
  /** Written in the commit that makes the version ready. */
  readonly name: string | null;
}

export interface Kept {
  readonly version: ArtifactVersion;
  /** The result was there already; nothing was stored. */
  readonly hit: boolean;
}

export interface Versions {
  get(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
  ready(tenant: string, provenanceHash: string): Promise<ArtifactVersion | undefined>;
  /** Takes the staged bytes over, or throws them away. */
  keep(result: NewResult, bytes: StagedBytes): Promise<Kept>;
  /** Points a name at a result that is there, when it is. */
  nameReady(actor: Actor, provenanceHash: string, name: string | null): Promise<ArtifactVersion | undefined>;
  /** A version whose bytes are still to come. */
  begin(origin: Origin & { readonly id: string | null }): Promise<ArtifactVersion>;
  upload(address: ArtifactAddress, bytes: StagedBytes): Promise<void>;
  finalize(address: ArtifactAddress, facts: FinishedFacts): Promise<ArtifactVersion>;
  /** Takes staged bytes into the store before anybody is told of them. */
  place(id: string, bytes: StagedBytes): Promise<PlacedBytes>;
  /** Makes a version ready with placed bytes, in one commit with `within`; what that throws leaves nothing behind. */
  publish(
    address: ArtifactAddress,
    bytes: PlacedBytes,
    facts: FinishedFacts,
    within: (queries: Queries) => Promise<void>,
  ): Promise<ArtifactVersion>;
  fail(address: ArtifactAddress): Promise<void>;
  /** Marks as failed what has been building since before the moment and nobody works on; gives how many. */
  failUnfinished(before: number): Promise<number>;
  /** The bytes of a version, its own or those that it shares. Counts as a use. */
  open(version: ArtifactVersion): Promise<Blob | undefined>;
  /** The same without counting. */
  peek(version: ArtifactVersion): Promise<Blob | undefined>;
  used(version: ArtifactVersion): Promise<void>;
}

/** Uses are recorded at most this often. */
export const useResolutionSeconds = 300;

export function createVersions(parts: StoreParts): Versions {
  const { database, blobs, staging, now } = parts;
  const finish = createFinish(parts);
  const uses = createUses(parts);
  const lock = (queries: Queries, key: string): Promise<void> => lockKey(queries, database.dialect, key);

  /** The next number of an id, which belongs to the tenant that used it first. */
  async function claimId(queries: Queries, id: string, tenant: string): Promise<number> {
    await lock(queries, `id:${id}`);
    const others = await queries.get(
      'SELECT 1 AS found FROM artifact_versions WHERE id = ? AND tenant <> ? LIMIT 1',
      [id, tenant],
      () => true,
    );
    if (others) throw refusals.artifactIdTaken(id);
    return nextVersion(queries, id);
  }

  async function nameReady(actor: Actor, provenanceHash: string, name: string | null) {
    if (name === null) return findReady(database, actor.tenant, provenanceHash);
    return database.transaction(async (queries) => {
      const found = await findReady(queries, actor.tenant, provenanceHash);
      if (found) await pointName(parts, queries, actor, name, found);
      return found;
    });
  }

  return {
    get: (address) => findVersion(database, address),
    ready: (tenant, provenanceHash) => findReady(database, tenant, provenanceHash),
    nameReady,

    async keep(result, bytes) {
      const actor = { tenant: result.tenant, principal: result.principal };
      const known = await nameReady(actor, result.provenanceHash, result.name);
      if (known) {
        await staging.discard(bytes);
        await uses.used(known);
        return { version: known, hit: true };
      }
      const { id: chosen, name, ...facts } = result;
      const id = chosen ?? randomUUID();
      const blobName = freshBlobName(id);
      await blobs.adopt([{ name: blobName, file: bytes.file }]);
      const fresh = { ...facts, ...contentOf(bytes), id, blobName, minted: chosen === null };
      try {
        const kept = await database.transaction(async (queries): Promise<Kept> => {
          await lock(queries, `provenance:${result.tenant}:${result.provenanceHash}`);
          const first = await findReady(queries, result.tenant, result.provenanceHash);
          const version = first ?? newVersion(fresh, await claimId(queries, id, result.tenant), 'ready', now());
          if (!first) {
            await overtake(queries, id);
            await insertVersion(queries, version);
          }
          if (name !== null) await pointName(parts, queries, actor, name, version);
          return { version, hit: first !== undefined };
        });
        if (kept.hit) await blobs.remove(blobName);
        return kept;
      } catch (error) {
        await blobs.remove(blobName);
        throw error;
      }
    },

    begin: ({ id: chosen, ...origin }) =>
      database.transaction(async (queries) => {
        const id = chosen ?? randomUUID();
        const nothing = { byteSize: null, rowCount: null, contentSha256: null, schema: null, blobName: null };
        const number = await claimId(queries, id, origin.tenant);
        const version = newVersion({ ...origin, ...nothing, id, minted: chosen === null }, number, 'building', now());
        await insertVersion(queries, version);
        return version;
      }),

    async upload(address, bytes) {
      const blobName = freshBlobName(address.id);
      await blobs.adopt([{ name: blobName, file: bytes.file }]);
      const before = await database.transaction(async (queries) => {
        const version = await findVersion(queries, address);
        if (version?.state !== 'building') return undefined;
        await queries.run(
          'UPDATE artifact_versions SET blob_name = ?, byte_size = ?, content_sha256 = ? WHERE id = ? AND version = ?',
          [blobName, bytes.byteSize, bytes.sha256, address.id, address.version],
        );
        return version;
      });
      if (!before) {
        await blobs.remove(blobName);
        throw refusals.artifactNotFound();
      }
      if (before.blobName !== null) await blobs.remove(before.blobName);
    },

    finalize: (address, facts) => finish(address, facts, async () => undefined),

    async place(id, { file, ...content }) {
      const blobName = freshBlobName(id);
      await blobs.adopt([{ name: blobName, file }]);
      return { blobName, ...content };
    },

    async publish(address, bytes, facts, within) {
      try {
        return await finish(address, facts, async (queries) => {
          await within(queries);
          return bytes;
        });
      } catch (error) {
        await blobs.remove(bytes.blobName);
        throw error;
      }
    },

    async fail({ id, version }) {
      await database.run(
        "UPDATE artifact_versions SET state = 'failed' WHERE id = ? AND version = ? AND state = 'building'",
        [id, version],
      );
    },

    failUnfinished: (before) =>
      database.run(
        `UPDATE artifact_versions SET state = 'failed' WHERE state = 'building' AND created_at < ? AND NOT EXISTS (
           SELECT 1 FROM builds b WHERE b.artifact_id = artifact_versions.id AND b.version = artifact_versions.version
             AND b.lease_expires_at > ?)`,
        [before, now()],
      ),

    ...uses,
  };
}

/** Who reads a version uses it, and what has long not been used may go. */
function createUses({ database, blobs, now }: StoreParts): Pick<Versions, 'open' | 'peek' | 'used'> {
  async function used(version: ArtifactVersion): Promise<void> {
    if (now() - (version.lastUsedAt ?? version.createdAt) < useResolutionSeconds) return;
    for (const { id, version: number } of [version, ...(version.canonical ? [version.canonical] : [])]) {
      await database.run('UPDATE artifact_versions SET last_used_at = ? WHERE id = ? AND version = ?', [
        now(),
        id,
        number,
      ]);
    }
  }

  async function peek(version: ArtifactVersion): Promise<Blob | undefined> {
    const owner = version.canonical ? await findVersion(database, version.canonical) : version;
    return owner && blobs.open(blobNameOf(owner));
  }

  return {
    peek,
    used,
    async open(version) {
      await used(version);
      return peek(version);
    },
  };
}

type Unnumbered = Omit<ArtifactVersion, 'version' | 'state' | 'createdAt' | 'lastUsedAt' | 'canonical'>;

const newVersion = (
  facts: Unnumbered,
  version: number,
  state: ArtifactVersion['state'],
  now: number,
): ArtifactVersion => ({ ...facts, version, state, createdAt: now, lastUsedAt: now, canonical: null });
