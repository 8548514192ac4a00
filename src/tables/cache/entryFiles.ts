// The cache on disk: an entry is a file of Arrow batches and, written after it, a note that says what it holds and what its
// bytes sum up to. Bytes without a note were cut short by a crash and are removed when the cache is opened.
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { giveBack } from '../../artifacts/index.ts';
import { tenantKey } from './cacheKey.ts';

export const cacheVersion = 1;

/** What an entry holds, in words for whoever looks at the cache. */
export interface EntryFacts {
  readonly tenant: string;
  /** `catalog.namespace.table`. */
  readonly table: string;
  readonly dataFile: string;
  readonly rowGroup: number;
  /** Null for all. */
  readonly columns: readonly string[] | null;
}

export interface StoredEntry extends EntryFacts {
  readonly key: string;
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly createdAt: number;
}

const note = z.object({
  tenant: z.string(),
  table: z.string(),
  dataFile: z.string(),
  rowGroup: z.int(),
  columns: z.array(z.string()).nullable(),
  rows: z.int(),
  bytes: z.int(),
  createdAt: z.number(),
  crc32: z.int(),
});

const pieceBytes = 1024 * 1024;
const dataSuffix = '.arrowstream';
const noteSuffix = '.meta.json';

export interface EntryFiles {
  readonly folder: string;
  fileOf(key: string, tenant: string): string;
  /** Makes room for a file and gives its path. */
  prepare(key: string, tenant: string): Promise<string>;
  /** Makes an entry durable: sums up its bytes, syncs them, then writes the note. */
  seal(entry: StoredEntry): Promise<number>;
  sumOf(entry: Pick<StoredEntry, 'file' | 'bytes'>): Promise<number>;
  remove(file: string): Promise<void>;
  /** Every whole entry; everything else is removed. */
  load(): Promise<{ readonly entry: StoredEntry; readonly crc32: number }[]>;
}

export function createEntryFiles(cacheDir: string): EntryFiles {
  const folder = path.join(cacheDir, `v${cacheVersion}`);
  const fileOf = (key: string, tenant: string): string =>
    path.join(folder, tenantKey(tenant), key.slice(0, 2), key.slice(2, 4), `${key}${dataSuffix}`);
  const remove = async (file: string): Promise<void> => {
    await rm(noteOf(file), { force: true });
    await rm(file, { force: true });
  };

  return {
    folder,
    fileOf,
    remove,
    sumOf: ({ file, bytes }) => withFile(file, (handle) => sumUp(handle, bytes)),
    async prepare(key, tenant) {
      const file = fileOf(key, tenant);
      await mkdir(path.dirname(file), { recursive: true });
      return file;
    },
    async seal({ key: _key, file, ...facts }) {
      const sum = await withFile(file, async (handle) => {
        await handle.datasync();
        return sumUp(handle, facts.bytes);
      });
      const unfinished = `${noteOf(file)}.${randomUUID()}.part`;
      await writeFile(unfinished, JSON.stringify({ ...facts, crc32: sum }));
      await rename(unfinished, noteOf(file));
      return sum;
    },
    async load() {
      const loaded: { entry: StoredEntry; crc32: number }[] = [];
      for (const place of await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothing)) {
        if (!place.isFile() || place.name.endsWith(noteSuffix)) continue;
        const file = path.join(place.parentPath, place.name);
        const found = place.name.endsWith(dataSuffix) ? await readEntry(file) : undefined;
        if (found) loaded.push(found);
        else await remove(file);
      }
      return loaded.sort((a, b) => a.entry.createdAt - b.entry.createdAt);
    },
  };
}

const noteOf = (file: string): string => `${file.slice(0, -dataSuffix.length)}${noteSuffix}`;

async function readEntry(file: string): Promise<{ entry: StoredEntry; crc32: number } | undefined> {
  try {
    const { crc32: sum, ...facts } = note.parse(JSON.parse(await readFile(noteOf(file), 'utf8')));
    const { size } = await stat(file);
    if (size !== facts.bytes) return undefined;
    return { entry: { ...facts, key: path.basename(file, dataSuffix), file }, crc32: sum };
  } catch {
    return undefined;
  }
}

async function withFile<R>(file: string, use: (handle: FileHandle) => Promise<R>): Promise<R> {
  const handle = await open(file);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

async function sumUp(handle: FileHandle, bytes: number): Promise<number> {
  const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, bytes));
  try {
    let sum = 0;
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) break;
      sum = crc32(bytesRead === piece.length ? piece : piece.subarray(0, bytesRead), sum);
      at += bytesRead;
    }
    return sum;
  } finally {
    giveBack(piece);
  }
}

function nothing(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
