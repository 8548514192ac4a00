// The way back from a job. Before anything is touched, the files of the project are copied aside; a job that fails puts
// them back byte for byte, and one that was cut short by a crash is put back when the notebook is opened again.
import fs from 'node:fs/promises';
import path from 'node:path';
import { endGroup } from './command.ts';
import { isThere, readIfThere, replaceFile } from './files.ts';

export interface Undo {
  /** True when a job was cut short. */
  isPending(): Promise<boolean>;
  keep(): Promise<void>;
  /** The program that works on the files now. */
  working(pid: number): void;
  /** Sets the environment itself aside; only for a job that was kept. */
  setAsideVenv(): Promise<void>;
  /** Ends a program that a crash has left working on the files. */
  endLeftover(): Promise<void>;
  restore(): Promise<void>;
  forget(): Promise<void>;
}

const files = ['pyproject.toml', 'uv.lock', 'renv.lock', '.Rprofile'];

/** There was no environment: what a job leaves of one is not one. */
const noVenv = 'no-venv';

export function createUndo(directory: string): Undo {
  const folder = path.join(directory, '.svc/environment_undo');
  const venv = path.join(directory, '.venv');
  const keptVenv = path.join(folder, 'venv');
  const pidFile = path.join(folder, 'pid');

  return {
    isPending: () => isThere(folder),
    async keep() {
      const draft = `${folder}.draft`;
      await fs.rm(draft, { recursive: true, force: true });
      await fs.mkdir(draft, { recursive: true });
      await Promise.all(
        files.map(async (file) => {
          const bytes = await readIfThere(path.join(directory, file));
          if (bytes) await replaceFile(path.join(draft, file), bytes);
        }),
      );
      if (!(await isThere(venv))) await fs.writeFile(path.join(draft, noVenv), '');
      await fs.rename(draft, folder);
    },
    working(pid) {
      void fs.writeFile(pidFile, String(pid)).catch(() => {});
    },
    async setAsideVenv() {
      if (await isThere(venv)) await fs.rename(venv, keptVenv);
    },
    async endLeftover() {
      const pid = Number(await readIfThere(pidFile).catch(() => undefined));
      if (!Number.isSafeInteger(pid) || pid < 2) return;
      // A process of that number may be another one by now: ours stands in the notebook's directory.
      const stands = await fs.readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      if (stands === directory) endGroup(pid);
    },
    async restore() {
      // Without a copy nothing was touched yet.
      if (!(await isThere(folder))) return;
      for (const file of files) {
        const [before, now] = await Promise.all([
          readIfThere(path.join(folder, file)),
          readIfThere(path.join(directory, file)),
        ]);
        const isSame = before === undefined ? now === undefined : now !== undefined && before.equals(now);
        if (!isSame) await replaceFile(path.join(directory, file), before);
      }
      if (await isThere(path.join(folder, noVenv))) await fs.rm(venv, { recursive: true, force: true });
      if (await isThere(keptVenv)) {
        await fs.rm(venv, { recursive: true, force: true });
        await fs.rename(keptVenv, venv);
      }
    },
    async forget() {
      const spent = `${folder}.spent`;
      await fs.rm(spent, { recursive: true, force: true });
      if (await isThere(folder)) await fs.rename(folder, spent);
      await fs.rm(spent, { recursive: true, force: true });
    },
  };
}
