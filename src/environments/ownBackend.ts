// One environment for each notebook, in its own `.venv`.
import fs from 'node:fs/promises';
import path from 'node:path';
import { clearBroken, makeBareVenv, type PythonBackend, uvSeconds, type Work } from './backend.ts';
import { CommandFailed } from './command.ts';
import { declare } from './declare.ts';
import { runUv, type UvSettings } from './uv.ts';

const sync = ['sync', '--no-install-project'];

export function createOwnBackend(uv: UvSettings): PythonBackend {
  const call = async ({ directory, python, shell, env }: Work, args: readonly string[], shown: readonly string[]) => {
    const [verb = '', ...rest] = args;
    await runUv(uv, shell, {
      args: [verb, '--python', python.command, ...rest],
      shown,
      directory,
      timeoutSeconds: uvSeconds,
      env,
    });
  };
  return {
    async sync(work) {
      await ownVenv(work.directory);
      await clearBroken(work);
      await call(work, sync, ['sync', '--python', work.python.version]);
    },
    async add(work, addition) {
      await ownVenv(work.directory);
      await declare(work.directory, addition, (args, shown) => call(work, args, shown));
      await call(work, sync, ['sync']);
    },
    async remove(work, name) {
      await ownVenv(work.directory);
      await call(work, ['remove', '--no-sync', '--', name], ['remove', name]);
      await call(work, sync, ['sync']);
    },
    async repair(work) {
      const args = [...sync, '--frozen', '--offline'];
      await clearBroken(work);
      await call(work, args, args).catch((error: unknown) => {
        if (!(error instanceof CommandFailed)) throw error;
        return call(work, [...args, '--reinstall'], args);
      });
    },
    makeBare: (work) => makeBareVenv(uv, work),
  };
}

/** A link to a shared environment, from when environments were shared: what is done now must not be done to others. */
async function ownVenv(directory: string): Promise<void> {
  const venv = path.join(directory, '.venv');
  const found = await fs.lstat(venv).catch(() => undefined);
  if (found?.isSymbolicLink()) await fs.unlink(venv);
}
