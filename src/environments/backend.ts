// How `.venv` of a notebook comes about: by uv in the notebook's own directory, or shared between notebooks.
import fs from 'node:fs/promises';
import path from 'node:path';
import { isThere, readIfThere } from './files.ts';
import { parseLock } from './lockKey.ts';
import type { InstalledPython } from './pythons.ts';
import { runUv, type Shell, type UvSettings } from './uv.ts';

export interface Work {
  readonly directory: string;
  readonly python: InstalledPython;
  readonly shell: Shell;
  /** For uv, beside what it always gets. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What is to be added, and how it is written down. */
export interface Addition {
  /** One or several, which come together or not at all. */
  readonly requirements: readonly string[];
  /** A tool that no cell needs, kept out of what results depend on: it goes into the project's `dev` group. */
  readonly forTests?: boolean;
  /** One of them says where its package lies. */
  readonly hasAddress?: boolean;
}

export interface PythonBackend {
  /** Resolves what the project declares and makes `.venv` hold just that. */
  sync(work: Work): Promise<void>;
  add(work: Work, addition: Addition): Promise<void>;
  remove(work: Work, name: string): Promise<void>;
  /** Makes `.venv` hold what the lock says, without asking anybody. */
  repair(work: Work): Promise<void>;
  /** Makes `.venv` one of the notebook's own that holds nothing. */
  makeBare(work: Work): Promise<void>;
}

/** A first download of large packages takes its time; a job can be cancelled. */
export const uvSeconds = 900;

export async function makeBareVenv(uv: UvSettings, { directory, python, shell }: Work): Promise<void> {
  // It may be a link to one that is shared: what is done now must not be done to others.
  await fs.rm(path.join(directory, '.venv'), { recursive: true, force: true });
  await runUv(uv, shell, {
    args: ['venv', '--offline', '--no-project', '--python', python.command, '.venv'],
    shown: ['venv', '--python', python.version],
    directory,
    timeoutSeconds: uvSeconds,
  });
}

/** Takes away what a crash left half made and uv would stumble over. */
export async function clearBroken({ directory, shell }: Work): Promise<void> {
  const venv = path.join(directory, '.venv');
  if ((await isThere(venv)) && !(await isThere(path.join(venv, 'pyvenv.cfg')))) {
    await fs.rm(venv, { recursive: true, force: true });
    shell.note('An environment that was never finished was removed.');
  }
  const lock = path.join(directory, 'uv.lock');
  const bytes = await readIfThere(lock);
  if (bytes === undefined || isLock(bytes)) return;
  await fs.rm(lock, { force: true });
  shell.note('uv.lock could not be read and is made anew.');
}

function isLock(bytes: Buffer): boolean {
  try {
    return parseLock(bytes.toString('utf8')).packages.length > 0;
  } catch {
    return false;
  }
}
