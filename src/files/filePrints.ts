// What files hold, in a short text that is another when they hold something else. A file whose size, time and number are as
// they were is not read again.
import fs from 'node:fs/promises';
import { digestOfFile } from './digest.ts';

export interface FilePrint {
  /** A digest of its bytes; of large files their size and time. */
  readonly print: string;
  /** What it was then; left out for one that was not there. */
  readonly size?: number;
  readonly mtimeNs?: string;
  readonly ino?: string;
}

export interface FilePrints {
  of(file: string): Promise<FilePrint>;
  /** What was found in an earlier process. */
  know(file: string, print: FilePrint): void;
}

/** Reading more than this takes longer than people wait. */
const maxDigestedBytes = 32 * 1024 * 1024;

export const missingFile: FilePrint = { print: 'missing' };

export function createFilePrints(): FilePrints {
  const known = new Map<string, FilePrint>();

  async function look(file: string): Promise<FilePrint> {
    for (;;) {
      const now = await identityOf(file);
      if (!now) return missingFile;
      const before = known.get(file);
      if (before && isSame(before, now)) return before;
      const print =
        now.size > maxDigestedBytes ? `${now.size}:${now.mtimeNs}` : await digestOfFile(file).catch(() => '');
      const after = await identityOf(file);
      // Replaced while it was read: read again.
      if (!after || !isSame(now, after)) continue;
      const found = { print, ...now };
      known.set(file, found);
      return found;
    }
  }

  return { of: look, know: (file, print) => void known.set(file, print) };
}

type Identity = Required<Omit<FilePrint, 'print'>>;

async function identityOf(file: string): Promise<Identity | undefined> {
  const found = await fs.stat(file, { bigint: true }).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  return { size: Number(found.size), mtimeNs: `${found.mtimeNs}`, ino: `${found.ino}` };
}

/** Whether nothing was written in between, as far as the file system tells. */
export const isSame = (a: Partial<Identity>, b: Partial<Identity>): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ino === b.ino;
