// The folder of shared environments. `<key>/` holds one, complete once its marker is there; the marker's time is its last
// use. `refs/<key>/` names the notebooks that link to it. A notebook claims an environment before it looks whether it is
// there, and collection moves one away before it deletes: so neither sees a half of what the other does.
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { inTurn, type Turn } from '../files/index.ts';
import { isThere, replaceFile } from './files.ts';

export const completeMarker = '.svc-env-complete';

/** A claim counts this long even though the notebook does not link to the environment yet. */
const claimMilliseconds = 3_600_000;

export interface SharedFolder {
  readonly root: string;
  placeOf(key: string): string;
  /** From now on collection leaves `key` to the notebook whose `link` will lead to it. */
  claim(key: string, link: string): Promise<void>;
  isComplete(key: string): Promise<boolean>;
  /** Makes it complete by `build`, unless it is; nobody else, in any process, builds it meanwhile. */
  ensure(key: string, build: () => Promise<void>, turn: Turn): Promise<'built' | 'found'>;
  /** Points `link` at the environment in one step. */
  link(key: string, link: string): Promise<void>;
}

export function createSharedFolder(root: string): SharedFolder {
  const placeOf = (key: string): string => path.join(root, key);
  const marker = (key: string): string => path.join(placeOf(key), completeMarker);
  const isComplete = (key: string): Promise<boolean> => isThere(marker(key));
  return {
    root,
    placeOf,
    async claim(key, link) {
      const refs = path.join(root, 'refs', key);
      await fs.mkdir(refs, { recursive: true });
      const name = createHash('sha256').update(link).digest('hex').slice(0, 32);
      await replaceFile(path.join(refs, name), link);
      const now = new Date();
      await fs.utimes(marker(key), now, now).catch(() => {});
    },
    isComplete,
    ensure: async (key, build, turn) => {
      if (await isComplete(key)) return 'found';
      const alone = async (): Promise<'built' | 'found'> => {
        if (await isComplete(key)) return 'found';
        await build();
        await replaceFile(marker(key), '');
        return 'built';
      };
      return inTurn(path.join(root, 'locks', key), alone, turn);
    },
    async link(key, link) {
      const temporary = `${link}.${randomBytes(8).toString('hex')}.tmp`;
      await fs.symlink(placeOf(key), temporary);
      const found = await fs.lstat(link).catch(() => undefined);
      // A link replaces a link in one step; a directory has to go first.
      if (found?.isDirectory()) await fs.rm(link, { recursive: true, force: true });
      await fs.rename(temporary, link);
    },
  };
}

export interface Collected {
  readonly removed: readonly string[];
  readonly kept: number;
}

/** Removes environments and R libraries that no notebook links to and that were not used for `ttlDays`. */
export async function collectEnvironments(root: string, ttlDays: number): Promise<Collected> {
  const python = await collect(root, ttlDays, Date.now());
  const r = await collect(path.join(root, 'r'), ttlDays, Date.now());
  return { removed: [...python.removed, ...r.removed.map((key) => `r/${key}`)], kept: python.kept + r.kept };
}

async function collect(root: string, ttlDays: number, now: number): Promise<Collected> {
  const removed: string[] = [];
  let kept = 0;
  for (const key of await foldersIn(root)) {
    if (key.endsWith('.removing')) await fs.rm(path.join(root, key), { recursive: true, force: true });
    const marked = await fs.stat(path.join(root, key, completeMarker)).catch(() => undefined);
    if (!marked) continue;
    const isIdle = now - marked.mtimeMs > ttlDays * 86_400_000;
    if (isIdle && !(await isLinked(root, key, now)) && (await removeUnclaimed(root, key, now))) removed.push(key);
    else kept += 1;
  }
  return { removed, kept };
}

async function removeUnclaimed(root: string, key: string, now: number): Promise<boolean> {
  const place = path.join(root, key);
  const away = `${place}.${randomBytes(8).toString('hex')}.removing`;
  await fs.rename(place, away);
  if (await isLinked(root, key, now)) {
    const isBack = await fs.rename(away, place).then(
      () => true,
      () => false,
    );
    if (isBack) return false;
  }
  await fs.rm(away, { recursive: true, force: true });
  return true;
}

/** Dead references go; what cannot be read counts as a link. */
async function isLinked(root: string, key: string, now: number): Promise<boolean> {
  const refs = path.join(root, 'refs', key);
  let isLive = false;
  for (const name of await fs.readdir(refs).catch(() => [])) {
    const file = path.join(refs, name);
    try {
      const [link, { mtimeMs }] = await Promise.all([fs.readFile(file, 'utf8'), fs.stat(file)]);
      const target = await fs.readlink(link).catch(() => undefined);
      if (target === path.join(root, key) || now - mtimeMs < claimMilliseconds) isLive = true;
      else await fs.rm(file, { force: true });
    } catch {
      isLive = true;
    }
  }
  return isLive;
}

async function foldersIn(root: string): Promise<string[]> {
  const entries = await fs.readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
