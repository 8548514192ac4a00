// A store of artifact versions: rows in the metadata database, bytes beside it. Bytes come first: a row that says `ready`
// always has its bytes, whenever the process dies. What several artifacts of one run share becomes visible together.
import path from 'node:path';
import {
  type Database,
  number as numberOf,
  numberOrNull,
  openMetadata,
  type Queries,
  text,
} from '../database/index.ts';
import { type Blobs, blobNameOf } from './blobs/blobs.ts';
import { type LocalBlobs, openLocalBlobs } from './blobs/local.ts';
import { ownsBytes } from './listing.ts';
import { findVersion, insertVersion, nextVersion } from './rows.ts';
import { insertBytes, readSmallValue, restoreSmallValues } from './smallValues.ts';
import { type ArtifactAddress, type ArtifactVersion, type NewArtifact, seconds } from './types.ts';

export interface ArtifactStore {
  get(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
  /** Where the bytes of a version lie. */
  blobPath(address: ArtifactAddress): string;
  /**
   * Stores the artifacts of one run, each as the next version of its id, all or none. `alongside` writes what must become
   * true in the same commit.
   */
  store(
    artifacts: readonly NewArtifact[],
    alongside?: (queries: Queries, stored: readonly ArtifactVersion[]) => Promise<void>,
  ): Promise<ArtifactVersion[]>;
  /** Removes older versions, and all of what nobody will ask for again; gives how many. */
  prune(rule: PruneRule): Promise<number>;
  /** Removes these versions. Their numbers are not given again, unless the same bytes `mayReturn` under the same id. */
  remove(versions: Iterable<ArtifactAddress>, mayReturn: boolean): Promise<void>;
  /** Removes older versions of these ids. */
  pruneOf(ids: Iterable<string>, rule: Omit<PruneRule, 'isGone'>): Promise<number>;
  /** How many bytes all versions hold together. */
  totalBytes(): Promise<number>;
  readonly database: Database;
  close(): Promise<void>;
}

export interface PruneRule {
  /** How many earlier versions of an id are kept beside its newest; 0 keeps all there is. */
  readonly keepSuperseded: number;
  readonly isHeld: (address: ArtifactAddress) => boolean;
  /** Whose id no longer stands for anything: its versions go, unless others were made from them. */
  readonly isGone: (id: string) => boolean;
}

/**
 * A result can be computed again: nobody waits for the disk to hear of it. Hundreds of notebooks may be open: what each keeps of its
 * file in memory has to be little, and the system keeps the rest.
 */
const ofNotebook = { answered: 'committed', cacheKibibytes: 128 } as const;

/** The store of a notebook's own results: a folder that only this process writes to. */
export async function openArtifactStore(folder: string, now: () => number = seconds): Promise<ArtifactStore> {
  const database = await openMetadata({ artifactDir: folder, dsn: undefined, sqlite: ofNotebook });
  let blobs: LocalBlobs | undefined;
  try {
    blobs = await openLocalBlobs(path.join(folder, 'blobs'));
    return await storeOn(database, blobs, folder, now);
  } catch (error) {
    // Node ends a process that forgets an open file.
    await blobs?.close();
    await database.close();
    throw error;
  }
}

async function storeOn(
  database: Database,
  blobs: LocalBlobs,
  folder: string,
  now: () => number,
): Promise<ArtifactStore> {
  const addresses = (order: 'id, version' | 'rowid DESC' = 'id, version') =>
    database.all(`SELECT id, version FROM artifact_versions ORDER BY ${order}`, [], (row) => ({
      id: text(row, 'id'),
      version: numberOf(row, 'version'),
    }));
  const ownName = (address: ArtifactAddress): string => blobNameOf({ ...address, blobName: null });
  const isInput = ({ id, version }: ArtifactAddress): Promise<true | undefined> =>
    database.get(
      'SELECT 1 AS found FROM artifact_inputs WHERE input_id = ? AND input_number = ? LIMIT 1',
      [id, version],
      () => true,
    );

  /** Of all but the newest, those that nobody holds. */
  async function removeOlder(
    versions: readonly ArtifactAddress[],
    { keepSuperseded, isHeld }: Omit<PruneRule, 'isGone'>,
  ): Promise<number> {
    const old = versions.slice(0, -(keepSuperseded + 1)).filter((address) => !isHeld(address));
    for (const address of old) await remove(address);
    return old.length;
  }

  async function remove(address: ArtifactAddress, mayReturn = false): Promise<void> {
    await database.transaction(async (queries) => {
      const where = [address.id, address.version];
      if (!mayReturn)
        await queries.run(
          `INSERT INTO artifact_numbers (id, newest) SELECT id, version FROM artifact_versions WHERE id = ? AND version = ?
             AND NOT EXISTS (SELECT 1 FROM artifact_versions later WHERE later.id = ? AND later.version > ?)
           ON CONFLICT (id) DO UPDATE SET newest = excluded.newest WHERE excluded.newest > artifact_numbers.newest`,
          [...where, ...where],
        );
      for (const table of ['artifact_inputs', 'artifact_bytes'])
        await queries.run(`DELETE FROM ${table} WHERE artifact_id = ? AND version = ?`, where);
      await queries.run('DELETE FROM artifact_versions WHERE id = ? AND version = ?', where);
    });
    await blobs.remove(ownName(address));
  }

  // A run that died between its bytes and its rows left files that nothing names.
  await sweep(blobs, new Set((await addresses()).map(ownName)));
  await restoreSmallValues(folder, database, blobs, ownName);

  return {
    database,
    get: (address) => findVersion(database, address),
    blobPath: (address) => blobs.pathOf(ownName(address)),
    totalBytes: async () =>
      (await database.beside.get(
        `SELECT SUM(byte_size) AS bytes FROM artifact_versions WHERE ${ownsBytes}`,
        [],
        (row) => numberOrNull(row, 'bytes'),
      )) ?? 0,

    async store(artifacts, alongside) {
      const values = artifacts.map((artifact) => ({ artifact, bytes: readSmallValue(artifact) }));
      const numbered: { file: string; bytes: Uint8Array | undefined; version: ArtifactVersion }[] = [];
      const storing = database.transaction(async (queries) => {
        for (const { artifact, bytes } of values) {
          const version = readyVersion(artifact, await nextVersion(queries, artifact.id), now());
          numbered.push({ file: artifact.file, bytes, version });
        }
        const [small, large] = [numbered.filter(({ bytes }) => bytes), numbered.filter(({ bytes }) => !bytes)];
        await Promise.all([
          blobs.adopt(large.map(({ version, file }) => ({ name: ownName(version), file }))),
          ...small.map(({ version, file }) => blobs.place(ownName(version), file)),
        ]);
        for (const { version, bytes } of numbered) await insert(queries, version, bytes);
        const stored = numbered.map(({ version }) => version);
        await alongside?.(queries, stored);
        return stored;
      });
      return storing.catch(async (error: unknown) => {
        // Room that is taken for nothing is what a full disk lacks.
        await Promise.all(numbered.map(({ version }) => blobs.remove(ownName(version))));
        throw error;
      });
    },

    async prune({ isGone, ...rule }) {
      if (rule.keepSuperseded === 0) return 0;
      const byId = Map.groupBy(await addresses(), ({ id }) => id);
      let older = 0;
      for (const versions of byId.values()) older += await removeOlder(versions, rule);
      // What was made last goes first, and with it the reason to keep what it was made from.
      const unwanted = (await addresses('rowid DESC')).filter((one) => isGone(one.id) && !rule.isHeld(one));
      const gone: ArtifactAddress[] = [];
      for (const address of unwanted) {
        if (await isInput(address)) continue;
        await remove(address);
        gone.push(address);
      }
      return older + gone.length;
    },

    async remove(versions, mayReturn) {
      for (const address of versions) await remove(address, mayReturn);
    },

    async pruneOf(ids, rule) {
      if (rule.keepSuperseded === 0) return 0;
      let older = 0;
      for (const id of new Set(ids)) {
        const versions = await database.all(
          'SELECT version FROM artifact_versions WHERE id = ? ORDER BY version',
          [id],
          (row) => ({ id, version: numberOf(row, 'version') }),
        );
        older += await removeOlder(versions, rule);
      }
      return older;
    },

    async close() {
      await database.close();
      await blobs.close();
    },
  };
}

async function insert(queries: Queries, version: ArtifactVersion, bytes: Uint8Array | undefined): Promise<void> {
  await queries.run("UPDATE artifact_versions SET state = 'superseded' WHERE id = ? AND state = 'ready'", [version.id]);
  await insertVersion(queries, version);
  if (bytes) await insertBytes(queries, version, bytes);
}

async function sweep(blobs: Blobs, known: ReadonlySet<string>): Promise<void> {
  for await (const names of blobs.list(Number.POSITIVE_INFINITY)) {
    for (const name of names) if (!known.has(name)) await blobs.remove(name);
  }
}

/** Ids of a notebook's values are chosen, by the cell and the variable: they are not minted. */
function readyVersion(artifact: NewArtifact, version: number, now: number): ArtifactVersion {
  const { file, ...facts } = artifact;
  return {
    ...facts,
    version,
    state: 'ready',
    schema: null,
    createdAt: now,
    lastUsedAt: now,
    tenant: '',
    principal: null,
    minted: false,
    canonical: null,
    blobName: null,
  };
}
