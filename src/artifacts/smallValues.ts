// Small values of a notebook's store. Their bytes are written with their row, so that one commit makes both durable; the
// file that cells read them from is a copy, which a power cut may take. The first opening after the machine has started
// puts such files back.
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Database, number as numberOf, type Queries, text } from '../database/index.ts';
import { readWithoutWaiting } from '../files/index.ts';
import type { LocalBlobs } from './blobs/local.ts';
import type { ArtifactAddress, NewArtifact } from './types.ts';

export const maxSmallBytes = 64 * 1024;

/**
 * Undefined when the value is not small. Its file was written a moment ago and lies in memory: reading it takes less than
 * asking another thread to.
 */
export function readSmallValue({ file, byteSize }: NewArtifact): Uint8Array | undefined {
  if (byteSize > maxSmallBytes) return undefined;
  // A link would have the store serve what its maker could not read.
  const descriptor = openSync(file, readWithoutWaiting | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(descriptor);
    if (!found.isFile()) throw new Error(`${path.basename(file)} is not the plain file that was written`);
    return found.size > maxSmallBytes ? undefined : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export const insertBytes = (queries: Queries, { id, version }: ArtifactAddress, bytes: Uint8Array): Promise<number> =>
  queries.run('INSERT INTO artifact_bytes (artifact_id, version, bytes) VALUES (?, ?, ?)', [id, version, bytes]);

export const bootFileIn = (folder: string): string => path.join(folder, 'boot');

/** Whether the next opening makes the files of small values whole again. */
export const putsBackSmallValues = async (folder: string): Promise<boolean> =>
  (await readFile(bootFileIn(folder), 'utf8').catch(() => '')) !== bootMark();

/** Makes the files of small values whole again, once for each start of the machine. */
export async function restoreSmallValues(
  folder: string,
  database: Database,
  blobs: LocalBlobs,
  nameOf: (address: ArtifactAddress) => string,
): Promise<void> {
  if (!(await putsBackSmallValues(folder))) return;
  const addresses = await database.all('SELECT artifact_id, version FROM artifact_bytes', [], (row) => ({
    id: text(row, 'artifact_id'),
    version: numberOf(row, 'version'),
  }));
  for (const address of addresses) await restore(database, address, blobs.pathOf(nameOf(address)));
  const mark = bootFileIn(folder);
  await writeFile(`${mark}.new`, bootMark());
  await rename(`${mark}.new`, mark);
}

async function restore(database: Database, { id, version }: ArtifactAddress, file: string): Promise<void> {
  const bytes = await database.get(
    'SELECT bytes FROM artifact_bytes WHERE artifact_id = ? AND version = ?',
    [id, version],
    ({ bytes: stored }) => (stored instanceof Uint8Array ? Buffer.from(stored) : undefined),
  );
  if (!bytes || (await readFile(file).catch(() => undefined))?.equals(bytes)) return;
  await writeFile(`${file}.new`, bytes);
  await rename(`${file}.new`, file);
}

/** The same until the machine starts again. */
function bootMark(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Within a minute: clocks are put right, and a file too many compared does no harm.
    return String(Math.round((Date.now() / 1000 - os.uptime()) / 60));
  }
}
