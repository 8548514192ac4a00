// What the three object stores have in common: keys below a prefix, files that are gone once they were uploaded, and a
// store that does not answer as a refusal that says to come back.
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { refusals } from '../../errors/index.ts';
import type { Blobs, Presigner } from './blobs.ts';

/** The few operations that differ. Each rejects with the SDK's own error. */
export interface ObjectClient {
  upload(key: string, file: string): Promise<void>;
  /** Undefined when there is no such object. */
  size(key: string): Promise<number | undefined>;
  read(key: string): Promise<Readable>;
  remove(key: string): Promise<void>;
  list(prefix: string): AsyncIterable<readonly { readonly key: string; readonly writtenAt: number }[]>;
  /** By key. */
  readonly presigner: Presigner;
  close(): void;
}

export function objectBlobs(client: ObjectClient, prefix: string): Blobs {
  const base = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;
  const keyOf = (name: string): string => `${base}${name}`;
  return {
    presigner: {
      download: (name, seconds) => reached(client.presigner.download(keyOf(name), seconds)),
      upload: (name, limits) => reached(client.presigner.upload(keyOf(name), limits)),
    },
    async adopt(files) {
      await reached(Promise.all(files.map(({ name, file }) => client.upload(keyOf(name), file))));
      await Promise.all(files.map(({ file }) => rm(file, { force: true })));
    },
    async open(name) {
      const byteSize = await reached(client.size(keyOf(name)));
      if (byteSize === undefined) return undefined;
      return { byteSize, file: undefined, read: () => reached(client.read(keyOf(name))) };
    },
    remove: (name) => reached(client.remove(keyOf(name))),
    async *list(before) {
      for await (const objects of client.list(base)) {
        yield objects.filter(({ writtenAt }) => writtenAt < before).map(({ key }) => key.slice(base.length));
      }
    },
    async close() {
      client.close();
    },
  };
}

async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw Object.assign(refusals.storeUnavailable(), { cause });
  }
}
