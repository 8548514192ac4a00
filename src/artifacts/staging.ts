// Bytes on their way in: written to a file of the store's own as they arrive, hashed and counted on the way, never held in
// memory. What is not taken over in the end is thrown away.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../errors/index.ts';
import { unlessFull } from './diskFull.ts';

export interface StagedBytes {
  readonly file: string;
  readonly byteSize: number;
  readonly sha256: string;
}

export interface Staging {
  /** `watch` sees every piece; when it throws, the bytes are refused. `maxBytes` is counted as they come. */
  receive(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
    watch?: (piece: Uint8Array) => void,
  ): Promise<StagedBytes>;
  /** A new file of the store's own, for bytes that another process writes. */
  place(): string;
  discard(staged: Pick<StagedBytes, 'file'>): Promise<void>;
  /** Removes what was left behind before the moment, in seconds. */
  sweep(before: number): Promise<number>;
}

const batchBytes = 1024 * 1024;
/** Written bytes are pushed to the disk while more arrive, so that little is left to wait for at the end. */
const syncBytes = 32 * 1024 * 1024;

export async function openStaging(folder: string): Promise<Staging> {
  await mkdir(folder, { recursive: true });
  const place = (): string => path.join(folder, `${randomUUID()}.part`);
  return {
    place,
    async receive(source, maxBytes, watch) {
      const file = place();
      const handle = await open(file, 'wx', 0o600);
      try {
        return { file, ...(await unlessFull(copy(source, handle, maxBytes, watch))) };
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
    },
    discard: ({ file }) => rm(file, { force: true }),
    async sweep(before) {
      let removed = 0;
      for await (const { name } of await opendir(folder)) {
        const file = path.join(folder, name);
        const found = await stat(file).catch(() => undefined);
        if (!found || found.mtimeMs / 1000 >= before) continue;
        await rm(file, { recursive: true, force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** One batch is written while the next one is hashed. */
async function copy(
  source: AsyncIterable<Uint8Array>,
  handle: FileHandle,
  maxBytes: number,
  watch: ((piece: Uint8Array) => void) | undefined,
): Promise<Omit<StagedBytes, 'file'>> {
  const hash = createHash('sha256');
  let byteSize = 0;
  let batch: Uint8Array[] = [];
  let batched = 0;
  let written: Promise<unknown> = Promise.resolve();
  let synced: Promise<unknown> = Promise.resolve();
  let unsynced = 0;
  const flush = async (): Promise<void> => {
    await written;
    if (batched > 0) written = handle.writev(batch);
    unsynced += batched;
    if (unsynced >= syncBytes) {
      unsynced = 0;
      await synced;
      synced = handle.datasync();
    }
    // Whoever awaits them next sees the failure; until then it must not count as unseen.
    for (const pending of [written, synced]) pending.catch(() => {});
    batch = [];
    batched = 0;
  };
  for await (const piece of source) {
    byteSize += piece.length;
    if (byteSize > maxBytes) throw refusals.uploadTooLarge(maxBytes);
    watch?.(piece);
    hash.update(piece);
    batch.push(piece);
    batched += piece.length;
    if (batched >= batchBytes) await flush();
  }
  await flush();
  await Promise.all([written, synced]);
  return { byteSize, sha256: hash.digest('hex') };
}
