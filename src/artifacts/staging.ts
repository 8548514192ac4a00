// Bytes on their way in: written to a file of the store's own as they arrive, hashed and counted on the way, never held in
// memory. What is not taken over in the end is thrown away.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { orTrouble, refusals } from '../errors/index.ts';
import { giveBack } from './giveBack.ts';
import { createHashBeside, type GrowingHash, type HashBeside } from './hashBeside.ts';

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

/** Enough for small values; what is larger goes on in larger batches. */
const firstBytes = 64 * 1024;
const batchBytes = 1024 * 1024;
/** What is larger is summed up beside: its first bytes are read a second time, which others do not wait for. */
const besideBytes = 8 * 1024 * 1024;
/** Written bytes are pushed to the disk while more arrive, so that little is left to wait for at the end. */
const syncBytes = 8 * 1024 * 1024;

export async function openStaging(folder: string): Promise<Staging> {
  await mkdir(folder, { recursive: true });
  const place = (): string => path.join(folder, `${randomUUID()}.part`);
  const hashBeside = createHashBeside();
  return {
    place,
    async receive(source, maxBytes, watch) {
      const file = place();
      const handle = await open(file, 'wx', 0o600);
      try {
        return { file, ...(await copy(source, { file, handle, hashBeside }, maxBytes, watch)) };
      } catch (error) {
        await rm(file, { force: true });
        throw orTrouble(error);
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

interface Target {
  readonly file: string;
  readonly handle: FileHandle;
  readonly hashBeside: HashBeside;
}

/** One batch is written while the next one fills. Pieces are copied: they are worth nothing once the next is asked for. */
async function copy(
  source: AsyncIterable<Uint8Array>,
  { file, handle, hashBeside }: Target,
  maxBytes: number,
  watch: ((piece: Uint8Array) => void) | undefined,
): Promise<Omit<StagedBytes, 'file'>> {
  const hash = createHash('sha256');
  let beside: GrowingHash | undefined;
  let byteSize = 0;
  let batch: Buffer = Buffer.allocUnsafeSlow(firstBytes);
  let writing: Buffer | undefined;
  let filled = 0;
  let given = 0;
  let written: Promise<unknown> = Promise.resolve();
  let synced: Promise<unknown> = Promise.resolve();
  let unsynced = 0;

  async function write(): Promise<void> {
    const full = batch.subarray(0, filled);
    if (!beside && given + filled > besideBytes) beside = hashBeside(file);
    if (!beside) hash.update(full);
    await written;
    beside?.grown(given);
    written = writeAll(handle, full);
    given += filled;
    unsynced += filled;
    if (unsynced >= syncBytes) {
      unsynced = 0;
      await synced;
      synced = handle.datasync();
    }
    // Whoever awaits them next sees the failure; until then it must not count as unseen.
    for (const pending of [written, synced]) pending.catch(() => {});
  }

  function turn(): void {
    const next = writing?.length === batchBytes ? writing : Buffer.allocUnsafeSlow(batchBytes);
    [batch, writing] = [next, batch];
    filled = 0;
  }

  try {
    for await (const piece of source) {
      byteSize += piece.length;
      if (byteSize > maxBytes) throw refusals.uploadTooLarge(maxBytes);
      watch?.(piece);
      for (let at = 0; at < piece.length; ) {
        const fits = piece.subarray(at, at + batch.length - filled);
        batch.set(fits, filled);
        at += fits.length;
        filled += fits.length;
        if (filled < batch.length) continue;
        await write();
        turn();
      }
    }
    await write();
    await Promise.all([written, synced]);
    for (const done of [batch, writing]) if (done) giveBack(done);
    if (!beside) return { byteSize, sha256: hash.digest('hex') };
    // What is left to push to the disk is pushed while the sum is finished.
    const [sha256] = await Promise.all([beside.finish(byteSize), handle.datasync()]);
    return { byteSize, sha256 };
  } finally {
    beside?.drop();
  }
}

/** A disk that fills up takes a part of a write, and refuses only the rest. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let left = bytes; left.length > 0; ) left = left.subarray((await handle.write(left)).bytesWritten);
}
