// Backups below a prefix of an object store. An object appears there whole or not at all, under a name that says what it holds,
// so that several backups may be made at once. What lies there is listed once; what is new goes up several at a time.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { eachInTime, inTime, type Patience } from '../fetch/index.ts';
import { intoFile, processFolders } from '../files/index.ts';
import type { ObjectClient } from '../objectStores/index.ts';
import { readObject } from './objects.ts';
import { type Additions, type BackupPlace, objectName, refuseInside, TargetUnusable } from './place.ts';

/** At a time: files that go up, and their bytes, which lie on this machine meanwhile. */
const mostUploads = 8;
const mostBytesWaiting = 256 * 2 ** 20;

export function objectPlace(client: ObjectClient, name: string, prefix: string, patience: Patience): BackupPlace {
  const base = prefix === '' ? '' : `${prefix}/`;

  const reached = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    inTime(patience, work).catch((error: unknown) => {
      throw unusable(name, error);
    });

  async function* listed(below: string): AsyncGenerator<{ name: string; size: number }> {
    const pages = eachInTime(patience, client.list(`${base}${below}`));
    try {
      for await (const page of pages)
        for (const { name: whole, size } of page) yield { name: whole.slice(base.length), size };
    } catch (error) {
      throw unusable(name, error);
    }
  }

  async function* read(key: string): AsyncGenerator<Uint8Array> {
    yield* await reached(() => client.read(`${base}${key}`));
  }

  function additions(folder: string, there: Map<string, number>, signal: AbortSignal): Additions {
    const scratch = (): string => path.join(folder, randomUUID());
    const uploads = createUploads();
    const upload = (key: string, file: string): Promise<void> =>
      reached((silent) => client.upload(`${base}${key}`, file, AbortSignal.any([signal, silent])));
    return {
      scratch,
      has: async ({ sha256, bytes }) => there.get(objectName(sha256)) === bytes,
      async adopt({ sha256, bytes }, file) {
        there.set(objectName(sha256), bytes);
        await uploads.add(bytes, async () => {
          await upload(objectName(sha256), file);
          await fs.rm(file);
        });
      },
      async conclude(manifest, text) {
        await uploads.end();
        const waiting = scratch();
        await fs.writeFile(waiting, text, { flag: 'wx', mode: 0o600 });
        await upload(`backups/${manifest}`, waiting);
      },
    };
  }

  const place: BackupPlace = {
    name,
    async manifests() {
      return (await Array.fromAsync(listed('backups/'))).map((one) => one.name.slice('backups/'.length));
    },
    readManifest: async (manifest) => Buffer.concat(await Array.fromAsync(read(`backups/${manifest}`))),
    sizeOf: (sha256) => reached(() => client.size(`${base}${objectName(sha256)}`)),
    read: (sha256) => read(objectName(sha256)),
    withFile: (bytes, work) =>
      inFolder(async (folder) => {
        const file = path.join(folder, bytes.sha256);
        await pipeline(readObject(place, bytes), intoFile(file, { flags: 'wx', mode: 0o600 }));
        return work(file);
      }),
    async write(copied, { signal, onProgress }, work) {
      refuseInside(name, copied);
      onProgress(`looking at what lies in ${name}`);
      const there = new Map<string, number>();
      for await (const one of listed('')) {
        signal.throwIfAborted();
        if (!/^(objects|backups)\//.test(one.name))
          throw new TargetUnusable(`${name} holds ${one.name}, which is of no backup; choose an empty prefix.`);
        there.set(one.name, one.size);
      }
      return inFolder((folder) => work(additions(folder, there, signal)));
    },
    close: async () => client.close(),
  };
  return place;
}

/** What a killed process left goes first. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folders = processFolders('svc-backup');
  await folders.sweep();
  const folder = await folders.take();
  try {
    return await work(folder);
  } finally {
    await folders.drop(folder);
  }
}

interface Uploads {
  /** Resolves when there is room for another; rejects once any failed. */
  add(bytes: number, upload: () => Promise<void>): Promise<void>;
  /** Resolves when all are done. */
  end(): Promise<void>;
}

function createUploads(): Uploads {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let waiting = 0;
  const refuseFailed = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    async add(bytes, upload) {
      while (running.size >= mostUploads || (running.size > 0 && waiting + bytes > mostBytesWaiting))
        await Promise.race(running);
      refuseFailed();
      waiting += bytes;
      const one = upload()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          waiting -= bytes;
          running.delete(one);
        });
      running.add(one);
    },
    async end() {
      await Promise.all(running);
      refuseFailed();
    },
  };
}

/** Whatever keeps the store from answering, the user has to change or to wait for it. */
function unusable(name: string, error: unknown): TargetUnusable {
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return Object.assign(
    new TargetUnusable(
      `${name} cannot be used (${reason}); check that the bucket is there and that its credentials are set, as svc settings names them.`,
    ),
    { cause: error },
  );
}
