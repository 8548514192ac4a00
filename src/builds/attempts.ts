// What executors brought, each under the attempt that its address was signed for. Bytes that no version took are removed once
// the build is over and its addresses have run out.
import { createHash } from 'node:crypto';
import type { ArrowFacts, Artifacts, PlacedBytes } from '../artifacts/index.ts';
import { type Database, number, numberOrNull, text, textOrNull } from '../database/index.ts';
import type { Lease } from './build.ts';

type StoreParts = Pick<Artifacts['parts'], 'database' | 'blobs'>;

const removedAtOnce = 100;

export interface Upload {
  readonly bytes: PlacedBytes;
  /** Undefined when the bytes are no Arrow stream. */
  readonly facts: ArrowFacts | undefined;
  readonly problem: string;
}

/** Gives the name of the bytes that it replaced. */
export function keepUpload(
  database: Database,
  buildId: string,
  attempt: string,
  { bytes, facts, problem }: Upload,
  now: number,
): Promise<string | undefined> {
  return database.transaction(async (queries) => {
    const before = await queries.get(
      'SELECT blob_name FROM build_attempts WHERE build_id = ? AND attempt = ?',
      [buildId, attempt],
      (row) => text(row, 'blob_name'),
    );
    await queries.run(
      `INSERT INTO build_attempts
         (build_id, attempt, blob_name, byte_size, content_sha256, arrow_schema, row_count, problem, uploaded_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (build_id, attempt) DO UPDATE SET blob_name = excluded.blob_name, byte_size = excluded.byte_size,
         content_sha256 = excluded.content_sha256, arrow_schema = excluded.arrow_schema, row_count = excluded.row_count,
         problem = excluded.problem, uploaded_at = excluded.uploaded_at`,
      [
        buildId,
        attempt,
        bytes.blobName,
        bytes.byteSize,
        bytes.sha256,
        facts?.schema ?? null,
        facts?.rowCount ?? null,
        facts ? null : problem,
        now,
      ],
    );
    return before;
  });
}

export const findUpload = (database: Database, buildId: string, attempt: string): Promise<Upload | undefined> =>
  database.get('SELECT * FROM build_attempts WHERE build_id = ? AND attempt = ?', [buildId, attempt], (row) => {
    const schema = textOrNull(row, 'arrow_schema');
    return {
      bytes: {
        blobName: text(row, 'blob_name'),
        byteSize: number(row, 'byte_size'),
        sha256: text(row, 'content_sha256'),
      },
      facts: schema === null ? undefined : { schema, rowCount: numberOrNull(row, 'row_count') ?? 0 },
      problem: textOrNull(row, 'problem') ?? '',
    };
  });

/** Removes what was brought for builds that are over and no version took, when it is older than the moment. */
export async function removeUploads({ database, blobs }: StoreParts, before: number): Promise<void> {
  const old = await database.all(
    `SELECT a.build_id, a.attempt, a.blob_name, v.blob_name AS taken FROM build_attempts a
       JOIN builds b ON b.build_id = a.build_id LEFT JOIN artifact_versions v ON v.blob_name = a.blob_name
     WHERE a.uploaded_at < ? AND b.state IN ('ready', 'failed') LIMIT ?`,
    [before, removedAtOnce],
    (row) => ({
      key: [text(row, 'build_id'), text(row, 'attempt')],
      blobName: text(row, 'blob_name'),
      isTaken: textOrNull(row, 'taken') !== null,
    }),
  );
  for (const { key, blobName, isTaken } of old) {
    if (!isTaken) await blobs.remove(blobName);
    await database.run('DELETE FROM build_attempts WHERE build_id = ? AND attempt = ?', key);
  }
}

/** A whole number is written with its fraction, as the wire has it. */
export const leaseToken = ({ owner, expiresAt }: Lease): string =>
  `${owner}:${Number.isInteger(expiresAt) ? `${expiresAt}.0` : expiresAt}`;

export const attemptOf = (lease: Lease): string =>
  createHash('sha256').update(leaseToken(lease)).digest('hex').slice(0, 32);
