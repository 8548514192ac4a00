// When a notebook's libraries were last brought about, kept with the notebook. A file that cannot be read says never.
import path from 'node:path';
import { z } from 'zod';
import { readOwnJson } from '../files/index.ts';
import { makeOwnFolder, replaceFile } from './files.ts';
import { neverSynced } from './renv.ts';

const schema = z.object({
  python: z.object({
    last_synced_at: z.number().nullable(),
    last_sync_duration_ms: z.number().nullable(),
    /** What was found after it; empty when the last job failed. */
    fingerprint: z.string(),
    /** Of the locks that are installed. */
    lockfile_hash: z.string().nullable(),
  }),
  r: z.object({
    lock_hash: z.string(),
    r_version: z.string(),
    last_synced_at: z.number(),
    sync_error: z.string().nullable(),
  }),
});

export type SyncRecord = z.infer<typeof schema>;

const never: SyncRecord = {
  python: { last_synced_at: null, last_sync_duration_ms: null, fingerprint: '', lockfile_hash: null },
  r: neverSynced,
};

const fileOf = (directory: string): string => path.join(directory, '.svc/environment.json');

export async function readSyncRecord(directory: string): Promise<SyncRecord> {
  try {
    return schema.parse(await readOwnJson(fileOf(directory)));
  } catch {
    return never;
  }
}

export async function writeSyncRecord(directory: string, record: SyncRecord): Promise<void> {
  await makeOwnFolder(directory);
  await replaceFile(fileOf(directory), `${JSON.stringify(record, null, 2)}\n`);
}
