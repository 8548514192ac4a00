// A store as at one moment: its database, and the bytes that its rows name. Bytes are written once and never changed, so that
// those of a moment are all there a moment later, unless somebody collected them meanwhile: then another moment is taken.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { type Blobs, blobNameOf, finishedVersions, shortAddress } from '../artifacts/index.ts';
import { number as numberOf, type Reading, readSqlite, snapshotSqlite, text } from '../database/index.ts';
import type { BlobCopy, RowsCopy } from './manifest.ts';
import type { Objects } from './objects.ts';

export interface RowsSource {
  /** How warnings call it. */
  readonly what: string;
  readonly database: string;
  readonly blobs: Pick<Blobs, 'open'>;
}

export interface CopyTo {
  readonly objects: Objects;
  readonly signal: AbortSignal;
  warn(text: string): void;
  onBytes(what: string): void;
}

/** The database alone, in a file that `copyNamed` takes further. */
export async function snapshotOf({ database }: RowsSource, { objects }: CopyTo): Promise<string> {
  const file = objects.scratch();
  await snapshotSqlite(database, file);
  return file;
}

/** Undefined when bytes that the snapshot names have been collected since. */
export async function copyNamed(source: RowsSource, snapshot: string, to: CopyTo): Promise<RowsCopy | undefined> {
  const rows = readSqlite(snapshot);
  const now = readSqlite(source.database);
  const warnings: string[] = [];
  const blobs: BlobCopy[] = [];
  try {
    for await (const named of bytesNamed(rows)) {
      to.signal.throwIfAborted();
      to.onBytes(`${source.what}: ${named.name}`);
      const copied = await copyBlob(source, named, to, warnings);
      if (copied) blobs.push(copied);
      else if (!named.isPassing && !(await isStillNamed(now, named))) return undefined;
      else if (!named.isPassing)
        warnings.push(`${source.what}: the bytes of ${named.of} are missing (svc doctor --deep)`);
    }
  } finally {
    await rows.close();
    await now.close();
  }
  const database = await to.objects.put(createReadStream(snapshot), to.signal);
  await fs.rm(snapshot);
  for (const warning of warnings) to.warn(warning);
  return { database, blobs };
}

interface NamedBytes {
  readonly name: string;
  readonly of: string;
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** On its way to a version, or to nothing: nobody has been promised that it stays. */
  readonly isPassing: boolean;
}

async function* bytesNamed(rows: Reading): AsyncGenerator<NamedBytes> {
  for await (const version of finishedVersions(rows)) {
    if (version.canonical || (await liesInDatabase(rows, version))) continue;
    const { contentSha256: sha256, byteSize: bytes } = version;
    yield { name: blobNameOf(version), of: shortAddress(version), sha256, bytes, isPassing: false };
  }
  for (const table of ['import_staging', 'build_attempts'])
    yield* await rows.all(`SELECT blob_name, content_sha256, byte_size FROM ${table}`, [], (row) => ({
      name: text(row, 'blob_name'),
      of: table,
      sha256: text(row, 'content_sha256'),
      bytes: numberOf(row, 'byte_size'),
      isPassing: true,
    }));
}

/** Small values of notebooks: their files are written anew at the first opening. */
const liesInDatabase = async (rows: Reading, { id, version }: { id: string; version: number }): Promise<boolean> =>
  (await rows.get(
    'SELECT 1 AS found FROM artifact_bytes WHERE artifact_id = ? AND version = ?',
    [id, version],
    () => true,
  )) ?? false;

async function copyBlob(
  { what, blobs }: RowsSource,
  { name, of, sha256, bytes }: NamedBytes,
  { objects, signal }: CopyTo,
  warnings: string[],
): Promise<BlobCopy | undefined> {
  const blob = await blobs.open(name);
  if (!blob) return undefined;
  const stat = blob.file === undefined ? undefined : await fs.stat(blob.file).catch(() => undefined);
  const mode = stat ? stat.mode & 0o777 : 0o600;
  if (sha256 !== null && blob.byteSize === bytes && (await objects.has({ sha256, bytes })))
    return { name, mode, sha256, bytes };
  const copied = await blob
    .read()
    .then((stream) => objects.put(stream, signal))
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  if (copied && sha256 !== null && copied.sha256 !== sha256)
    warnings.push(`${what}: the bytes of ${of} are not those that were recorded (svc doctor --deep)`);
  return copied && { name, mode, ...copied };
}

async function isStillNamed(now: Reading, { name, of }: NamedBytes): Promise<boolean> {
  const at = of.lastIndexOf('@v=');
  const found = await now.get(
    'SELECT 1 AS found FROM artifact_versions WHERE blob_name = ? OR (blob_name IS NULL AND id = ? AND version = ?)',
    [name, of.slice(0, at), Number(of.slice(at + 3))],
    () => true,
  );
  return found ?? false;
}
