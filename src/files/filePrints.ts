// What files hold, in a short text that is another when they hold something else. A file whose size, times and number are as
// they were is not read again. Programs set the time of writing as they like (`cp -p`); the one of change is the file system's own.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { digestOfFile } from './digest.ts';

export interface FilePrint {
  /** A digest of its bytes, or of a folder's names; of large files their size and time. */
  readonly print: string;
  /** What it was then; left out for one that was not there. */
  readonly size?: number;
  readonly mtimeNs?: string;
  readonly ino?: string;
  /** Records of earlier versions, and what cells tell, lack it. */
  readonly ctimeNs?: string;
}

export interface FilePrints {
  of(file: string): Promise<FilePrint>;
  /** What was found in an earlier process. */
  know(file: string, print: FilePrint): void;
}

/** Reading more than this takes longer than people wait. */
const maxDigestedBytes = 32 * 1024 * 1024;

const maxAttempts = 3;

export const missingFile: FilePrint = { print: 'missing' };

export function createFilePrints(): FilePrints {
  const known = new Map<string, FilePrint>();

  async function currentPrint(file: string): Promise<FilePrint> {
    for (let attempt = 1; ; attempt += 1) {
      const now = await identityOf(file);
      if (!now) return missingFile;
      const before = known.get(file);
      if (before && isSame(before, now)) return before;
      const print = await printOf(file, now);
      const after = await identityOf(file);
      // Written to while it was read: read again. One that is written to all the time is another each time.
      if (!after) return missingFile;
      if (!isSame(now, after) && attempt < maxAttempts) continue;
      if (!isSame(now, after)) return { print: `${after.size}:${after.mtimeNs}` };
      const { isFolder: _, ...identity } = now;
      const found = { print, ...identity };
      known.set(file, found);
      return found;
    }
  }

  return { of: currentPrint, know: (file, print) => void known.set(file, print) };
}

type Identity = Required<Omit<FilePrint, 'print'>>;

async function identityOf(file: string): Promise<(Identity & { isFolder: boolean }) | undefined> {
  const found = await fs.stat(file, { bigint: true }).catch(() => undefined);
  if (!found?.isFile() && !found?.isDirectory()) return undefined;
  const { size, mtimeNs, ino, ctimeNs } = found;
  return {
    size: Number(size),
    mtimeNs: `${mtimeNs}`,
    ino: `${ino}`,
    ctimeNs: `${ctimeNs}`,
    isFolder: found.isDirectory(),
  };
}

async function printOf(file: string, { size, mtimeNs, isFolder }: Identity & { isFolder: boolean }): Promise<string> {
  if (isFolder) return digestOfNames(await fs.readdir(file).catch(() => []));
  return size > maxDigestedBytes ? `${size}:${milliseconds(mtimeNs)}` : digestOfFile(file, size).catch(() => '');
}

/** What copies a file with its time keeps no more of it. */
const milliseconds = (nanoseconds: string): number => Math.round(Number(nanoseconds) / 1e6);

/** What Python and editors leave there is nobody's data. */
const digestOfNames = (names: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify(names.filter((name) => name !== '__pycache__' && !name.startsWith('.')).sort()))
    .digest('hex');

/** Whether nothing was written in between, as far as the file system tells. */
export const isSame = (a: Partial<Identity>, b: Partial<Identity>): boolean =>
  a.size === b.size &&
  a.mtimeNs === b.mtimeNs &&
  a.ino === b.ino &&
  (a.ctimeNs === undefined || b.ctimeNs === undefined || a.ctimeNs === b.ctimeNs);
