// Bytes of backups, each once under its digest, whichever place they lie in.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { orTrouble } from '../errors/index.ts';
import { type Additions, type BackupPlace, type Bytes, objectName } from './place.ts';

export interface Objects extends Pick<Additions, 'scratch' | 'has'> {
  /** How many bytes were written, beside those that were there. */
  written(): number;
  put(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Bytes>;
}

export function addObjects({ scratch, has, adopt }: Additions): Objects {
  let written = 0;
  return {
    scratch,
    has,
    written: () => written,
    async put(source, signal) {
      const file = scratch();
      const found = await writeHashed(file, source, signal).catch(async (error: unknown) => {
        await fs.rm(file, { force: true });
        throw error;
      });
      if (await has(found)) {
        await fs.rm(file);
        return found;
      }
      await adopt(found, file);
      written += found.bytes;
      return found;
    },
  };
}

async function writeHashed(file: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Bytes> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await fs.open(file, 'wx', 0o600);
  try {
    for await (const piece of source) {
      signal.throwIfAborted();
      hash.update(piece);
      bytes += piece.byteLength;
      await handle.writeFile(piece);
    }
  } catch (error) {
    throw orTrouble(error);
  } finally {
    await handle.close();
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Reads an object, and fails at its end where it is not what its name says. */
export async function* readObject(place: BackupPlace, { sha256, bytes }: Bytes): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let found = 0;
  const isWrong = (how: string): Error =>
    new Error(`${objectName(sha256)} in ${place.name} is ${how}; svc backup --verify tells what it is of.`);
  const isDamaged = (): Error => isWrong('damaged');
  try {
    for await (const piece of place.read(sha256)) {
      hash.update(piece);
      found += piece.byteLength;
      // One without an end would fill the disk.
      if (found > bytes) throw isDamaged();
      yield piece;
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT' ? isWrong('missing') : error;
  }
  if (found !== bytes || hash.digest('hex') !== sha256) throw isDamaged();
}
