// What the three object stores have in common: keys below a prefix, files that are gone once they were uploaded, and a
// store that does not answer, or not in time, as a refusal that says to come back.
import { rm } from 'node:fs/promises';
import { refusals } from '../../errors/index.ts';
import { eachInTime, inTime, type Patience } from '../../fetch/index.ts';
import type { ObjectClient } from '../../objectStores/index.ts';
import type { Blobs } from './blobs.ts';

export function objectBlobs(client: ObjectClient, prefix: string, patience: Patience): Blobs {
  const base = prefix === '' ? '' : `${prefix.replace(/\/+$/, '')}/`;

  async function reached<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await inTime(patience, work);
    } catch (cause) {
      throw Object.assign(refusals.storeUnavailable(), { cause });
    }
  }

  const keyOf = (name: string): string => `${base}${name}`;
  return {
    presigner: {
      download: (name, seconds) => reached(() => client.presigner.download(keyOf(name), seconds)),
      upload: (name, limits) => reached(() => client.presigner.upload(keyOf(name), limits)),
    },
    async adopt(files) {
      try {
        await reached((signal) => Promise.all(files.map(({ name, file }) => client.upload(keyOf(name), file, signal))));
      } catch (error) {
        // Nobody will ever name what arrived of them, and nobody waits for this: what stays is swept with what no row names.
        void Promise.allSettled(files.map(({ name }) => reached(() => client.remove(keyOf(name)))));
        throw error;
      }
      await Promise.all(files.map(({ file }) => rm(file, { force: true })));
    },
    async open(name) {
      const byteSize = await reached(() => client.size(keyOf(name)));
      if (byteSize === undefined) return undefined;
      return { byteSize, file: undefined, read: () => reached(() => client.read(keyOf(name))) };
    },
    remove: (name) => reached(() => client.remove(keyOf(name))),
    async *list(before) {
      for await (const objects of eachInTime(patience, client.list(base))) {
        yield objects
          .filter(({ mtime }) => Date.parse(mtime) / 1000 < before)
          .map(({ name }) => name.slice(base.length));
      }
    },
    async close() {
      client.close();
    },
  };
}
