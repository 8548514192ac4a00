// Bytes that were fetched for a notebook: each kept once by its digest, and for each address what it last gave. It lies in the
// notebook's runtime directory; a record that cannot be read is an empty one.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { namedUrl } from '../../fetch/index.ts';
import { openSavedMap } from '../document/index.ts';

/** Cells can write to this record; what it names stays below the cache all the same. */
const entrySchema = z.object({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  filename: z.string().regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/),
  checked_at: z.number(),
  fetched_at: z.number(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
});

/** What each address last gave, as it is kept. */
export const fetchIndex = z.record(z.string(), entrySchema);
export const fetchFolder = (directory: string): string => path.join(directory, '.svc/fetch');

export type FetchEntry = Readonly<z.infer<typeof entrySchema>>;

export interface FetchCache {
  /** What an address last gave, while its bytes are there. */
  of(url: string): Promise<FetchEntry | undefined>;
  fileOf(entry: Pick<FetchEntry, 'sha256' | 'filename'>): string;
  /** Where bytes are written while they come. A `key` gives the same place again. */
  partFor(key: string): Promise<string>;
  /** Takes a file of bytes in, under their digest. */
  adopt(part: string, sha256: string, filename: string): Promise<void>;
  note(url: string, entry: FetchEntry): Promise<void>;
}

export async function openFetchCache(directory: string): Promise<FetchCache> {
  const root = fetchFolder(directory);
  const entries = await openSavedMap<FetchEntry>(path.join(root, 'index.json'), {
    parse: (content) => fetchIndex.parse(content),
    print: (all) => all,
  });

  const fileOf: FetchCache['fileOf'] = ({ sha256, filename }) => path.join(root, sha256, filename);

  return {
    async of(url) {
      const entry = entries.get(fetchKey(url));
      return entry && existsSync(fileOf(entry)) ? entry : undefined;
    },
    fileOf,
    async partFor(key) {
      await fs.mkdir(root, { recursive: true });
      return path.join(root, `.${createHash('sha256').update(key).digest('hex').slice(0, 32)}.part`);
    },
    async adopt(part, sha256, filename) {
      const target = fileOf({ sha256, filename });
      await fs.mkdir(path.dirname(target), { recursive: true });
      const file = await fs.open(part, 'r+');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      // Cells get the very file: what one of them wrote into it would be another's input.
      await fs.chmod(part, 0o444);
      await fs.rename(part, target);
    },
    note: (url, entry) => entries.set(fetchKey(url), entry),
  };
}

/** What an address is called in the record: one with a secret in it is known by its digest. */
export function fetchKey(url: string): string {
  const named = namedUrl(url);
  return named === url ? url : `${named}#${createHash('sha256').update(url).digest('hex')}`;
}

/** The last segment of the address, with nothing in it that a file name should not have. */
export function safeName(url: string): string {
  const segment = URL.parse(url)?.pathname.split('/').pop() ?? '';
  const name = decoded(segment)
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 128);
  return name === '' ? 'data' : name;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
