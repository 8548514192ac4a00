// Mounts of object stores. A look lists what is there, which gives the fingerprint; bytes are fetched when a cell really
// runs. A read-write mount is a copy of its own for each run, and what the cell wrote goes back when it succeeded.
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Patience } from '../fetch/index.ts';
import { digestOfFile, filesBelow, intoFile, removeLent, takeBack } from '../files/index.ts';
import type { StoredObject } from '../objectStores/index.ts';
import { digest, type MountCache, type ViewFile } from './mountCache.ts';
import { openRemoteStore, type RemoteStore } from './remoteStore.ts';
import { placeIn, type StorageOptions, type StorePlace } from './storageOptions.ts';

export interface RemoteMount {
  readonly uri: string;
  readonly mode: 'ro' | 'rw';
  readonly pin: string | null;
  readonly options: StorageOptions;
}

export interface RemoteLook {
  /** Another text is another content; a fresh one each time for what is written to. */
  readonly fingerprint: string;
  readonly bytes: number;
  readonly files: number;
  /** How much of it is here already. */
  readonly cachedBytes: number;
  /** Brings the bytes here; the copy of a read-write mount to `copy`, which is not there yet, where one is named. */
  prepare(signal: AbortSignal, copy?: string): Promise<PreparedMount>;
}

export interface PreparedMount {
  /** A folder, or the file where the mount names a single object. */
  readonly file: string;
  /** After the run: what a successful one wrote goes back. */
  finish(succeeded: boolean): Promise<readonly WrittenFile[]>;
}

/** What went back to a read-write mount. */
export interface WrittenFile {
  /** Below the mount. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

type OpenStore = () => Promise<RemoteStore>;

const lookMilliseconds = 30_000;

/** `lend`: gives a folder to whoever runs the cells that write there. */
export function createRemoteMounts(
  cache: MountCache,
  patience: Patience,
  lend: (folder: string) => Promise<void> = async () => {},
) {
  return {
    /** Rejects with the store's own error. */
    async look(mount: RemoteMount, signal: AbortSignal): Promise<RemoteLook> {
      const place = placeIn(mount.uri);
      if (!place) throw new Error(`'${mount.uri}' names no bucket`);
      const open: OpenStore = () => openRemoteStore(place, mount.options, patience);
      const listed = await listing(open, place, AbortSignal.any([signal, AbortSignal.timeout(lookMilliseconds)]));
      const files = filesIn(place, listed, mount.options);
      const fingerprint = mount.mode === 'rw' ? randomUUID() : fingerprintOf(mount, listed);
      return {
        fingerprint,
        bytes: listed.reduce((sum, { size }) => sum + size, 0),
        files: listed.length,
        cachedBytes: await cache.cachedBytes(files),
        async prepare(running, copy = path.join(cache.root, 'tmp', randomUUID())) {
          return mount.mode === 'rw'
            ? staged(copy, place, open, files, running, lend)
            : viewed(cache, place, { ...mount, open }, files, fingerprint, running);
        },
      };
    },
  };
}

export type RemoteMounts = ReturnType<typeof createRemoteMounts>;

async function listing(open: OpenStore, place: StorePlace, signal: AbortSignal): Promise<StoredObject[]> {
  const store = await open();
  try {
    const found = await unlessAborted(store.list(place.prefix, signal), signal);
    // `data` is no beginning of `database/x`; a name that ends in a slash stands for a folder and has no bytes.
    return found.filter(
      ({ name }) =>
        !name.endsWith('/') && (place.prefix === '' || name === place.prefix || name.startsWith(`${place.prefix}/`)),
    );
  } finally {
    store.close();
  }
}

/** Clients of stores do not all know how to stop; nobody waits for them any longer then. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function filesIn(place: StorePlace, listed: readonly StoredObject[], options: StorageOptions): ViewFile[] {
  const way = optionsDigest(options);
  return listed.map((object) => {
    const { name, size, etag, mtime } = object;
    const isWhole = name === place.prefix;
    const relative = isWhole
      ? path.posix.basename(name)
      : name.slice(place.prefix === '' ? 0 : place.prefix.length + 1);
    if (relative.split('/').some((part) => part === '..' || part === '.' || part === '') || path.isAbsolute(relative))
      throw new Error(`it holds an object whose name is no file name: ${name}`);
    const isKnown = etag !== '' || mtime !== '';
    const key = digest(place.protocol, way, `${place.bucket}/${name}`, String(size), etag, mtime);
    return { object, path: relative, objectKey: isKnown ? key : null };
  });
}

const fingerprintOf = ({ pin }: RemoteMount, listed: readonly StoredObject[]): string =>
  pin === null
    ? digest(
        listed
          .map(({ name, size, etag, mtime }) => `${name}:${size}:${etag}:${mtime}`)
          .sort()
          .join('\n'),
      )
    : digest(`pin:${pin}`);

const optionsDigest = (options: StorageOptions): string =>
  digest(JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))));

const fetching =
  (open: OpenStore, signal: AbortSignal) =>
  async ({ name }: StoredObject, target: string): Promise<void> => {
    const store = await open();
    try {
      const bytes = await unlessAborted(store.read(name, signal), signal);
      await pipeline(bytes, intoFile(target), { signal });
    } finally {
      store.close();
    }
  };

async function viewed(
  cache: MountCache,
  place: StorePlace,
  { options, open }: RemoteMount & { readonly open: OpenStore },
  files: readonly ViewFile[],
  fingerprint: string,
  signal: AbortSignal,
): Promise<PreparedMount> {
  const key = digest(place.protocol, `${place.bucket}/${place.prefix}`, optionsDigest(options), fingerprint);
  const { folder, release } = await cache.hold({ key, files, fetch: fetching(open, signal) });
  return {
    file: atRoot(folder, place, files),
    async finish() {
      release();
      return [];
    },
  };
}

/** A mount of one object is that file itself. */
const atRoot = (folder: string, { prefix }: StorePlace, files: readonly ViewFile[]): string => {
  const [only] = files;
  return files.length === 1 && only?.object.name === prefix ? path.join(folder, only.path) : folder;
};

async function staged(
  folder: string,
  place: StorePlace,
  open: OpenStore,
  files: readonly ViewFile[],
  signal: AbortSignal,
  lend: (folder: string) => Promise<void>,
): Promise<PreparedMount> {
  await fs.mkdir(path.dirname(folder), { recursive: true });
  await fs.mkdir(folder, { mode: 0o700 });
  const fetch = fetching(open, signal);
  const before = new Map<string, Fetched>();
  const drop = (): Promise<void> => removeLent(folder);
  try {
    for (const file of files) {
      const target = path.join(folder, file.path);
      await fs.mkdir(path.dirname(target), { recursive: true });
      await fetch(file.object, target);
      before.set(file.path, { name: file.object.name, sha256: await digestOfFile(target) });
    }
    await lend(folder);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    file: atRoot(folder, place, files),
    async finish(succeeded) {
      try {
        await takeBack(folder);
        return succeeded ? await giveBack(folder, place, open, before) : [];
      } finally {
        await drop();
      }
    },
  };
}

interface Fetched {
  readonly name: string;
  readonly sha256: string;
}

/** New and changed files alone. Nothing is deleted there, and links are not followed. */
async function giveBack(
  folder: string,
  place: StorePlace,
  open: OpenStore,
  before: ReadonlyMap<string, Fetched>,
): Promise<WrittenFile[]> {
  const written: WrittenFile[] = [];
  const store = await open();
  try {
    for (const relative of await filesBelow(folder)) {
      const file = path.join(folder, relative);
      const fetched = before.get(relative);
      const sha256 = await digestOfFile(file);
      if (fetched?.sha256 === sha256) continue;
      await store.upload(fetched?.name ?? (place.prefix === '' ? relative : `${place.prefix}/${relative}`), file);
      written.push({ path: relative, size: (await fs.stat(file)).size, sha256 });
    }
    return written;
  } finally {
    store.close();
  }
}
