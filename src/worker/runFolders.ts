// Folders of runs, below one of this worker's own. What a worker that was killed left behind goes when the next one starts.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export interface RunFolders {
  take(): Promise<string>;
  drop(folder: string): Promise<void>;
}

const root = (): string => path.join(os.tmpdir(), `svc-worker-${os.userInfo().uid}`);

export function createRunFolders(): RunFolders {
  return {
    async take() {
      const folder = path.join(root(), `${process.pid}-${randomBytes(8).toString('hex')}`);
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    drop: (folder) => fs.rm(folder, { recursive: true, force: true }),
  };
}

export async function sweepRunFolders(): Promise<void> {
  for (const name of await fs.readdir(root()).catch(() => [])) {
    if (!isRunning(Number.parseInt(name, 10))) await fs.rm(path.join(root(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
