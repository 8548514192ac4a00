// Decoded row groups on disk, the least recently used leaving first. Whoever takes one holds it until released: nothing that
// is being read goes away. Equal misses at one time are read once. An entry whose bytes changed is dropped and read anew.
import { stat } from 'node:fs/promises';
import type { Log } from '../../observability/index.ts';
import type { Written } from '../engine.ts';
import { createEntryFiles, type EntryFacts, type StoredEntry } from './entryFiles.ts';
import { createEvictionRecord, type EvictionRecord } from './evictions.ts';

export interface HeldRowGroup {
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  /** It was there already. */
  readonly hit: boolean;
  release(): void;
}

export interface RowGroupCache {
  /** The entry, read by `write` where it is not there. */
  take(
    key: string,
    facts: EntryFacts,
    write: (target: string) => Promise<Written>,
    signal: AbortSignal,
  ): Promise<HeldRowGroup>;
  /** Only what is there. */
  peek(key: string): Promise<HeldRowGroup | undefined>;
  entries(): Promise<StoredEntry[]>;
  /** Removes everything that nobody holds. */
  clear(): Promise<void>;
  size(): { readonly bytes: number; readonly entries: number };
  readonly folder: string;
  readonly evictions: EvictionRecord;
  close(): Promise<void>;
}

interface Entry extends StoredEntry {
  holders: number;
  /** Its bytes are what they were when written, or this process wrote them. */
  trusted: boolean;
  crc32: number | undefined;
  removed: boolean;
}

/** A sweep goes on until this share of the cap is left. */
const lowWater = 0.8;

export interface CacheOptions {
  readonly cacheDir: string;
  readonly maxBytes: number;
  readonly log: Log;
  readonly onEvicted: (sweep: { files: number; bytes: number }) => void;
}

export function createRowGroupCache({ cacheDir, maxBytes, log, onEvicted }: CacheOptions): RowGroupCache {
  const files = createEntryFiles(cacheDir);
  const evictions = createEvictionRecord();
  /** In order of last use. */
  const entries = new Map<string, Entry>();
  const reading = new Map<string, Promise<Entry>>();
  let bytes = 0;
  let opening: Promise<void> | undefined;
  let sealed: Promise<unknown> = Promise.resolve();

  const open = (): Promise<void> => {
    opening ??= files.load().then((found) => {
      for (const { entry, crc32 } of found) add({ ...entry, holders: 0, trusted: false, crc32, removed: false });
    });
    return opening;
  };

  function add(entry: Entry): void {
    entries.set(entry.key, entry);
    bytes += entry.bytes;
  }

  async function remove(entry: Entry): Promise<void> {
    if (entry.removed) return;
    entry.removed = true;
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    bytes -= entry.bytes;
    await files
      .remove(entry.file)
      .catch((error: unknown) => log.warning('A cache file could not be removed', { error }));
  }

  async function evict(): Promise<void> {
    if (bytes <= maxBytes) return;
    const before = bytes;
    const { doomed, left } = chosenToLeave(entries.values(), bytes, maxBytes * lowWater);
    if (doomed.length === 0) return;
    const sweep = { files: doomed.length, bytes: before - left };
    await Promise.all(doomed.map(remove));
    evictions.record({ ...sweep, before, after: left });
    onEvicted(sweep);
  }

  function hold(entry: Entry, hit: boolean): HeldRowGroup {
    entry.holders += 1;
    entries.delete(entry.key);
    entries.set(entry.key, entry);
    let held = true;
    return {
      file: entry.file,
      rows: entry.rows,
      bytes: entry.bytes,
      hit,
      release() {
        if (!held) return;
        held = false;
        entry.holders -= 1;
        if (entry.holders === 0) void evict();
      },
    };
  }

  async function isWhole(entry: Entry): Promise<boolean> {
    const found = await stat(entry.file).catch(() => undefined);
    if (found?.size !== entry.bytes) return false;
    if (!entry.trusted && (await files.sumOf(entry)) !== entry.crc32) return false;
    entry.trusted = true;
    return true;
  }

  /** The entry with its bytes looked at; one that is damaged leaves. Held meanwhile. */
  async function sound(key: string): Promise<HeldRowGroup | undefined> {
    await open();
    const entry = entries.get(key);
    if (!entry) return undefined;
    const held = hold(entry, true);
    if (await isWhole(entry)) return held;
    log.warning('A damaged cache entry was dropped', { table: entry.table, file: entry.dataFile });
    await remove(entry);
    return undefined;
  }

  async function write(key: string, facts: EntryFacts, decode: (target: string) => Promise<Written>): Promise<Entry> {
    const file = await files.prepare(key, facts.tenant);
    const written = await decode(file);
    const stored: StoredEntry = { ...facts, key, file, ...written, createdAt: Date.now() / 1000 };
    // Held by whoever reads it, until that one has taken it.
    const entry: Entry = { ...stored, holders: 1, trusted: true, crc32: undefined, removed: false };
    add(entry);
    sealed = sealed.then(() => seal(entry));
    return entry;
  }

  async function seal(entry: Entry): Promise<void> {
    if (entry.removed) return;
    try {
      entry.crc32 = await files.seal(entry);
      if (entry.removed) await files.remove(entry.file);
    } catch (error) {
      if (!entry.removed) log.warning('A cache entry will not outlive this process', { error });
    }
  }

  return {
    folder: files.folder,
    evictions,
    size: () => ({ bytes, entries: entries.size }),
    peek: sound,
    async take(key, facts, decode, signal) {
      for (;;) {
        signal.throwIfAborted();
        const found = await sound(key);
        if (found) return found;
        const other = reading.get(key);
        if (!other) break;
        const shared = await other.catch(() => undefined);
        if (shared && !shared.removed) return hold(shared, true);
      }
      const made = write(key, facts, decode).finally(() => reading.delete(key));
      reading.set(key, made);
      made.catch(() => {});
      const entry = await made;
      const held = hold(entry, false);
      entry.holders -= 1;
      await evict();
      return held;
    },
    async entries() {
      await open();
      return [...entries.values()];
    },
    async clear() {
      await open();
      await Promise.all([...entries.values()].filter(({ holders }) => holders === 0).map(remove));
    },
    async close() {
      await sealed;
    },
  };
}

/** The least recently used that nobody holds, until no more than `wanted` bytes are left. */
function chosenToLeave(
  entries: Iterable<Entry>,
  bytes: number,
  wanted: number,
): { readonly doomed: readonly Entry[]; readonly left: number } {
  const doomed: Entry[] = [];
  let left = bytes;
  for (const entry of entries) {
    if (left <= wanted) break;
    if (entry.holders > 0) continue;
    doomed.push(entry);
    left -= entry.bytes;
  }
  return { doomed, left };
}
