// Folders that a process needs for a while, below the machine's folder for such files: short paths, for no one else's eyes.
// What a process that was killed left behind goes when the next one sweeps.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { removeLent } from './giveTo.ts';
import { isRunning } from './isRunning.ts';

export interface ProcessFolders {
  take(): Promise<string>;
  drop(folder: string): Promise<void>;
  /** Removes those of processes that run no more. */
  sweep(): Promise<void>;
}

/** `purpose` is part of their path. */
export function processFolders(purpose: string): ProcessFolders {
  const root = (): string => path.join(os.tmpdir(), `${purpose}-${os.userInfo().uid}`);
  /** Whoever made it first owns what lies in it, or where it leads. */
  async function isOurs(): Promise<boolean> {
    const found = await fs.lstat(root());
    return found.isDirectory() && found.uid === os.userInfo().uid;
  }

  return {
    async take() {
      await fs.mkdir(root(), { recursive: true, mode: 0o700 });
      if (!(await isOurs())) throw new Error(`${root()} belongs to another user.`);
      const folder = path.join(root(), `${process.pid}-${randomBytes(8).toString('hex')}`);
      await fs.mkdir(folder, { mode: 0o700 });
      return folder;
    },
    drop: removeLent,
    async sweep() {
      if (!(await isOurs().catch(() => false))) return;
      for (const name of await fs.readdir(root()).catch(() => []))
        if (!isRunning(Number.parseInt(name, 10))) await removeLent(path.join(root(), name));
    },
  };
}
