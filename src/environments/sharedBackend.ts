// One environment for all notebooks that have the same lock and interpreter: it is built beside the notebooks, once, and
// `.venv` is a link to it. Builders take turns: two runs of uv that make one environment destroy each other's work.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { clearBroken, makeBareVenv, type PythonBackend, uvSeconds, type Work } from './backend.ts';
import { declare } from './declare.ts';
import { readIfThere } from './files.ts';
import { environmentFolder, environmentKey, parseLock } from './lockKey.ts';
import { createSharedFolder } from './sharedFolder.ts';
import { runUv, type UvSettings } from './uv.ts';

const probe = `import sys, sysconfig
print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])), getattr(sys, 'abiflags', ''), sysconfig.get_platform())`;

export function createSharedBackend(uv: UvSettings, root: string): PythonBackend {
  const shared = createSharedFolder(root);
  const builds = new Map<string, Promise<string>>();

  /** Which interpreter it is, down to its build. */
  function buildOf(command: string): Promise<string> {
    const known = builds.get(command);
    if (known) return known;
    const asked = promisify(execFile)(command, ['-I', '-S', '-c', probe]).then(({ stdout }) => stdout.trim());
    builds.set(command, asked);
    return asked;
  }

  const call = (
    { directory, python, shell, env }: Work,
    args: readonly string[],
    shown: readonly string[],
    place: string,
  ) =>
    runUv(uv, shell, {
      args: [...args.slice(0, 1), '--python', python.command, ...args.slice(1)],
      shown,
      directory,
      timeoutSeconds: uvSeconds,
      env: { ...env, UV_PROJECT_ENVIRONMENT: place },
    });

  /** uv must not take a shared environment for the notebook's own while it only resolves. */
  const nowhere = path.join(shared.root, '.no-environment');

  async function keyOf({ directory, python }: Work): Promise<string> {
    const lock = await readIfThere(path.join(directory, 'uv.lock'));
    if (!lock) throw new Error('uv.lock is missing after it was made');
    return environmentFolder(environmentKey(parseLock(lock.toString('utf8'))), await buildOf(python.command));
  }

  async function install(work: Work, more: readonly string[] = []): Promise<void> {
    const key = await keyOf(work);
    const link = path.join(work.directory, '.venv');
    const args = ['sync', '--frozen', '--no-install-project', ...more];
    // Collection may take an environment away between the look and the link: then it is built after all.
    for (let isLinked = false; !isLinked; isLinked = await shared.isComplete(key)) {
      await shared.claim(key, link);
      const how = await shared.ensure(
        key,
        async () => {
          await call(work, args, ['sync', '--frozen', '--python', work.python.version], shared.placeOf(key));
        },
        {
          signal: work.shell.signal,
          onWait: () => work.shell.note(`Waiting for another notebook that makes the environment ${key}.`),
        },
      );
      if (how === 'found') work.shell.note(`The environment ${key} is there already.`);
      await shared.link(key, link);
    }
  }

  return {
    async sync(work) {
      await clearBroken(work);
      await call(work, ['lock'], ['lock', '--python', work.python.version], nowhere);
      await install(work);
    },
    async add(work, addition) {
      await declare(work.directory, addition, (args, shown) => call(work, args, shown, nowhere));
      await install(work);
    },
    async remove(work, name) {
      await call(work, ['remove', '--no-sync', '--', name], ['remove', name], nowhere);
      await install(work);
    },
    repair: (work) => install(work, ['--offline']),
    makeBare: (work) => makeBareVenv(uv, work),
  };
}
