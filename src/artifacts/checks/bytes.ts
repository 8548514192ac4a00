// Whether versions have the bytes that were recorded.
import { createHash } from 'node:crypto';
import type { Queries } from '../../database/index.ts';
import type { Blob } from '../blobs/blobs.ts';
import { versionOf } from '../rows.ts';
import type { ArtifactVersion } from '../types.ts';

const sliceLength = 200;

export async function* finishedVersions(queries: Pick<Queries, 'all'>): AsyncGenerator<ArtifactVersion> {
  let after = { id: '', version: 0 };
  for (;;) {
    const slice = await queries.all(
      `SELECT * FROM artifact_versions WHERE state IN ('ready', 'superseded') AND (id > ? OR (id = ? AND version > ?))
       ORDER BY id, version LIMIT ?`,
      [after.id, after.id, after.version, sliceLength],
      versionOf,
    );
    yield* slice;
    const last = slice.at(-1);
    if (!last) return;
    after = last;
  }
}

export interface BytesFlaw {
  readonly problem: 'missing' | 'size' | 'digest';
  readonly detail: string;
}

export async function flawOfBytes(
  blob: Blob | undefined,
  version: Pick<ArtifactVersion, 'byteSize' | 'contentSha256'>,
): Promise<BytesFlaw | undefined> {
  if (!blob) return { problem: 'missing', detail: 'its bytes are not there' };
  if (version.byteSize !== null && blob.byteSize !== version.byteSize)
    return { problem: 'size', detail: `${version.byteSize} bytes were recorded, ${blob.byteSize} are there` };
  if (!version.contentSha256) return undefined;
  const hash = createHash('sha256');
  for await (const piece of await blob.read()) hash.update(piece);
  const actual = hash.digest('hex');
  return actual === version.contentSha256
    ? undefined
    : { problem: 'digest', detail: `recorded ${version.contentSha256}, found ${actual}` };
}
