// Paths that callers give: every one is resolved, links included, and must lie inside the folder the caller may use.
// What is returned is the real path; using it instead of the given text is what makes the check hold.
import fs from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { refuseUnseen } from './names.ts';

export type PathLabel = 'notebook path' | 'parent path' | 'project path' | 'path';

const boundaries = {
  storage: 'configured notebook storage',
  tenant: "your tenant's own folder in the notebook storage",
} as const;

/** Linux takes paths of 4096 bytes; what a notebook keeps below its directory needs some of them. */
const maxPathBytes = 3072;

/**
 * `root` must exist. The result need not: only its existing part is resolved, the rest is plain names below it. Nothing hidden below
 * `root` is given: no listing shows it, and it belongs to us (`.svc`) or other programs.
 */
export async function resolveInside(
  root: string,
  raw: string,
  label: PathLabel,
  boundary: keyof typeof boundaries = 'storage',
): Promise<string> {
  if (raw.split(/[/\\]/).includes('..')) throw refusals.pathTraversal(label);
  if (raw.includes('\0')) throw refusals.pathUnusable(label, 'a path cannot hold a NUL byte');
  if (!raw.isWellFormed()) throw refusals.textNotUnicode(label);
  const realRoot = await fs.realpath(root);
  const place = path.resolve(realRoot, raw);
  if (Buffer.byteLength(place) > maxPathBytes) throw refusals.pathUnusable(label, 'it is too long for the file system');
  const resolved = await realPathOf(place, label);
  if (resolved === undefined || !isWithin(realRoot, resolved.place))
    throw refusals.pathOutside(label, boundaries[boundary]);
  const hidden = path
    .relative(realRoot, resolved.place)
    .split(path.sep)
    .find((name) => name.startsWith('.'));
  if (hidden !== undefined) throw refusals.pathHidden(label, hidden);
  for (const name of resolved.missing) refuseUnseen(label, name);
  return resolved.place;
}

export function isWithin(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** Undefined for a link that leads nowhere: what will be there one day cannot be checked now. */
async function realPathOf(
  place: string,
  label: PathLabel,
): Promise<{ readonly place: string; readonly missing: readonly string[] } | undefined> {
  const missing: string[] = [];
  let existing = place;
  for (;;) {
    try {
      return { place: path.join(await fs.realpath(existing), ...missing), missing };
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENAMETOOLONG') throw refusals.pathUnusable(label, 'a name in it is too long for the file system');
      if (code === 'ELOOP') throw refusals.pathUnusable(label, 'its links lead in a circle');
      if (code === 'EACCES' || code === 'EPERM') throw refusals.pathForbidden(label);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      if (await isLink(existing)) return undefined;
      missing.unshift(path.basename(existing));
      existing = path.dirname(existing);
    }
  }
}

export async function isLink(place: string): Promise<boolean> {
  const found = await fs.lstat(place).catch(() => undefined);
  return found?.isSymbolicLink() ?? false;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
