// What lies in a folder that is to be copied. What a machine makes again by itself (environments, caches, folders of runs) and
// what only means something while a process lives is left out.
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { isSearched, isTemporary, notebookFileName } from '../notebook/index.ts';

export interface Entry {
  readonly path: string;
  /** `odd`: cannot be copied; `target` says why. */
  readonly kind: 'file' | 'folder' | 'link' | 'odd';
  readonly mode: number;
  readonly modified: string;
  /** Differs when anything but the moment of the last reading differs. */
  readonly identity: string;
  /** Of a link, or what is odd. */
  readonly target: string;
}

const madeAgain = new Set(['.venv', '__pycache__', 'node_modules']);
const madeAgainAt = new Set([
  'renv/library',
  'renv/staging',
  '.svc/runs',
  '.svc/home',
  '.svc/open.json',
  '.svc/server.log',
  // Copied with their database, so that rows and bytes belong together.
  '.svc/artifacts/blobs',
]);
const isOfDatabase = (place: string): boolean =>
  /^\.svc\/artifacts\/(boot(\.new)?|staging|artifacts\.sqlite.*)$/.test(place);

/** Of a notebook: all of it. Of any other folder: what lies there beside notebooks. */
export async function listFolder(root: string, isNotebook: boolean): Promise<Entry[]> {
  const found: Entry[] = [];
  await walk(root, '', isNotebook, found);
  return found;
}

async function walk(root: string, below: string, isNotebook: boolean, found: Entry[]): Promise<void> {
  const entries = await fs.readdir(path.join(root, below), { withFileTypes: true }).catch(unlessGone);
  const isAnother = !isNotebook && entries.some(({ name }) => name === notebookFileName);
  if (isAnother && below.split('/').every((name) => name === '' || isSearched(name))) return;
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const place = path.posix.join(below, name);
    if (madeAgain.has(name) || madeAgainAt.has(place) || isOfDatabase(place) || isTemporary(name)) continue;
    const entry = await entryAt(root, place);
    if (!entry) continue;
    found.push(entry);
    if (entry.kind === 'folder') await walk(root, place, isNotebook, found);
  }
}

/** Stands in a name for bytes that are no text. */
const noText = '\uFFFD';

/** Undefined for what is gone meanwhile. */
async function entryAt(root: string, place: string): Promise<Entry | undefined> {
  const file = path.join(root, place);
  const stat = await fs.lstat(file, { bigint: true }).catch(() => undefined);
  if (!stat) return place.includes(noText) ? odd(place, 'its name is not UTF-8') : undefined;
  const common = { path: place, mode: Number(stat.mode) & 0o7777, modified: String(stat.mtimeNs), target: '' };
  if (stat.isDirectory()) return { ...common, kind: 'folder', identity: `${stat.ino} ${common.mode}` };
  const identity = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
  if (stat.isFile()) return { ...common, kind: 'file', identity };
  if (!stat.isSymbolicLink()) return odd(place, 'it is a pipe, a socket or a device');
  const target = await fs.readlink(file).catch(() => undefined);
  return target === undefined ? undefined : { ...common, kind: 'link', identity, target };
}

const odd = (place: string, why: string): Entry => ({
  path: place,
  kind: 'odd',
  mode: 0,
  modified: '0',
  identity: '',
  target: why,
});

/** No link is followed, and nothing is waited for. */
export const readAsListed = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

function unlessGone(error: NodeJS.ErrnoException): never[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
