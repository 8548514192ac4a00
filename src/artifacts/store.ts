// A store of artifact versions: rows in the metadata database, bytes beside it. Bytes come first: a row that says `ready`
// always has its bytes, whenever the process dies. What several artifacts of one run share becomes visible together.
import path from 'node:path';
import {
  type Database,
  number as numberOf,
  numberOrNull,
  openMetadata,
  type Queries,
  type Row,
  text,
  textOrNull,
} from '../database/index.ts';
import { openLocalBlobs } from './localBlobs.ts';
import type { ArtifactAddress, ArtifactState, ArtifactVersion, NewArtifact } from './types.ts';

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
  /** Keeps the newest versions of every id and removes older ones; 0 keeps all. */
  prune(keepSuperseded: number, isHeld: (address: ArtifactAddress) => boolean): Promise<number>;
  readonly database: Database;
  close(): Promise<void>;
}

export async function openArtifactStore(
  folder: string,
  now: () => number = () => Date.now() / 1000,
): Promise<ArtifactStore> {
  const database = await openMetadata({ artifactDir: folder, dsn: undefined });
  const blobs = await openLocalBlobs(path.join(folder, 'blobs'));
  const addresses = () =>
    database.all('SELECT id, version FROM artifact_versions ORDER BY id, version', [], (row) => ({
      id: text(row, 'id'),
      version: numberOf(row, 'version'),
    }));
  // A run that died between its bytes and its rows left files that nothing names.
  await blobs.sweep(await addresses());

  const nextVersion = async (queries: Queries, id: string): Promise<number> =>
    ((await queries.get('SELECT MAX(version) AS newest FROM artifact_versions WHERE id = ?', [id], (row) =>
      numberOrNull(row, 'newest'),
    )) ?? 0) + 1;

  return {
    database,
    get: ({ id, version }) =>
      database.get('SELECT * FROM artifact_versions WHERE id = ? AND version = ?', [id, version], decode),
    blobPath: blobs.pathOf,

    store: (artifacts, alongside) =>
      database.transaction(async (queries) => {
        const addressed: { artifact: NewArtifact; address: ArtifactAddress }[] = [];
        for (const artifact of artifacts) {
          addressed.push({ artifact, address: { id: artifact.id, version: await nextVersion(queries, artifact.id) } });
        }
        await blobs.adopt(addressed.map(({ artifact, address }) => ({ address, file: artifact.file })));
        const stored: ArtifactVersion[] = [];
        for (const { artifact, address } of addressed) stored.push(await insert(queries, artifact, address, now()));
        await alongside?.(queries, stored);
        return stored;
      }),

    async prune(keepSuperseded, isHeld) {
      if (keepSuperseded === 0) return 0;
      const byId = Map.groupBy(await addresses(), ({ id }) => id);
      const old = [...byId.values()]
        .flatMap((versions) => versions.slice(0, -(keepSuperseded + 1)))
        .filter((address) => !isHeld(address));
      for (const address of old) {
        await database.run('DELETE FROM artifact_versions WHERE id = ? AND version = ?', [address.id, address.version]);
        await blobs.remove(address);
      }
      return old.length;
    },

    async close() {
      await database.close();
      await blobs.close();
    },
  };
}

async function insert(
  queries: Queries,
  artifact: NewArtifact,
  { id, version }: ArtifactAddress,
  now: number,
): Promise<ArtifactVersion> {
  await queries.run("UPDATE artifact_versions SET state = 'superseded' WHERE id = ? AND state = 'ready'", [id]);
  await queries.run(
    `INSERT INTO artifact_versions
       (id, version, state, provenance_hash, row_count, byte_size, created_at, transform_spec, input_versions, content_sha256, last_used_at)
     VALUES (?, ?, 'ready', ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      version,
      artifact.provenanceHash,
      artifact.rowCount,
      artifact.byteSize,
      now,
      artifact.transformSpec,
      artifact.inputVersions,
      artifact.contentSha256,
      now,
    ],
  );
  return {
    id,
    version,
    state: 'ready',
    provenanceHash: artifact.provenanceHash,
    byteSize: artifact.byteSize,
    rowCount: artifact.rowCount,
    createdAt: now,
    contentSha256: artifact.contentSha256,
    transformSpec: artifact.transformSpec,
    inputVersions: artifact.inputVersions,
  };
}

const states: readonly ArtifactState[] = ['building', 'ready', 'superseded', 'failed'];

function decode(row: Row): ArtifactVersion {
  const state = states.find((known) => known === row.state);
  if (state === undefined) throw new TypeError(`An artifact version has the unknown state ${String(row.state)}.`);
  return {
    id: text(row, 'id'),
    version: numberOf(row, 'version'),
    state,
    provenanceHash: text(row, 'provenance_hash'),
    byteSize: numberOrNull(row, 'byte_size'),
    rowCount: numberOrNull(row, 'row_count'),
    createdAt: numberOf(row, 'created_at'),
    contentSha256: textOrNull(row, 'content_sha256'),
    transformSpec: textOrNull(row, 'transform_spec'),
    inputVersions: textOrNull(row, 'input_versions'),
  };
}
