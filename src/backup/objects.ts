// Bytes of backups, each once under its digest, whole and durable before it has that name.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { orTrouble } from '../errors/index.ts';
import { syncFolder } from '../files/index.ts';
import type { Bytes } from './manifest.ts';

export interface Objects {
  /** How many bytes were written, beside those that were there. */
  written(): number;
  has(bytes: Bytes): Promise<boolean>;
  put(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Bytes>;
  /** A name of a file that goes away with whatever is left over. */
  place(): string;
  /** Writes a text to `target`, all or nothing, after everything that was put is durable. */
  conclude(target: string, text: string): Promise<void>;
  /** Removes what is left over. */
  close(): Promise<void>;
}

export const objectFile = (target: string, sha256: string): string =>
  path.join(target, 'objects', sha256.slice(0, 2), sha256);

/** Only one process at a time: what lies in `incoming` is what a killed one left. */
export async function openObjects(target: string): Promise<Objects> {
  const incoming = path.join(target, 'incoming');
  await fs.rm(incoming, { recursive: true, force: true });
  await fs.mkdir(incoming, { mode: 0o700 });
  const touched = new Set<string>();
  let written = 0;

  const place = (): string => path.join(incoming, randomUUID());

  async function writeDurably(file: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<Bytes> {
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
      await handle.sync();
    } catch (error) {
      throw orTrouble(error);
    } finally {
      await handle.close();
    }
    return { sha256: hash.digest('hex'), bytes };
  }

  const has = async ({ sha256, bytes }: Bytes): Promise<boolean> =>
    (await fs.stat(objectFile(target, sha256)).catch(() => undefined))?.size === bytes;

  return {
    written: () => written,
    has,
    place,
    async put(source, signal) {
      const file = place();
      const found = await writeDurably(file, source, signal).catch(async (error: unknown) => {
        await fs.rm(file, { force: true });
        throw error;
      });
      if (await has(found)) {
        await fs.rm(file);
        return found;
      }
      const object = objectFile(target, found.sha256);
      await fs.mkdir(path.dirname(object), { recursive: true, mode: 0o700 });
      await fs.rename(file, object);
      touched.add(path.dirname(object));
      written += found.bytes;
      return found;
    },
    async conclude(file, text) {
      for (const folder of [...touched, path.join(target, 'objects')]) await syncFolder(folder);
      const waiting = place();
      await writeDurably(
        waiting,
        (async function* () {
          yield Buffer.from(text);
        })(),
        new AbortController().signal,
      );
      await fs.rename(waiting, file);
      await syncFolder(path.dirname(file));
      await syncFolder(target);
    },
    close: () => fs.rm(incoming, { recursive: true, force: true }),
  };
}

/** Reads an object, and fails at its end where it is not what its name says. */
export async function* readObject(target: string, { sha256, bytes }: Bytes): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let found = 0;
  for await (const piece of createReadStream(objectFile(target, sha256))) {
    hash.update(piece);
    found += piece.byteLength;
    yield piece;
  }
  if (found !== bytes || hash.digest('hex') !== sha256)
    throw new Error(
      `objects/${sha256.slice(0, 2)}/${sha256} in ${target} is damaged; svc backup --verify tells what it is of.`,
    );
}
