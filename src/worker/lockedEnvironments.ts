// Environments that a server sends as a lock: installed once under the hash of the lock, kept for the next cell. A lock
// whose hash is not the one it was announced by is not installed.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
  createPythons,
  environmentFolder,
  environmentKey,
  type InstalledPython,
  parseLock,
  runCommand,
  runUv,
} from '../environments/index.ts';
import type { Log } from '../observability/index.ts';
import { type BuiltOnce, lockProblem } from './builtOnce.ts';
import { fetchEnvironment } from './environmentRegistry.ts';

export interface LockedEnvironments {
  /** The interpreter of the environment, which is installed first where it is not there. */
  interpreterOf(environment: unknown, signal: AbortSignal): Promise<string>;
}

export interface LockedParts {
  readonly root: string;
  /** Where prebuilt environments are; null: nowhere. */
  readonly registry: string | null;
  /** Undefined when this machine has no uv: then no environment can be had. */
  readonly uv: string | undefined;
  readonly built: BuiltOnce;
  readonly log: Log;
}

const blockSchema = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lowercase hex'),
  python: z.string().optional(),
  lockfile: z.string(),
  pyproject: z.string(),
});
type Block = z.infer<typeof blockSchema>;

const installSeconds = 1800;
const maxKeys = 1000;
const probe = `import sys, sysconfig
print(f"{sys.implementation.name}-{'.'.join(map(str, sys.version_info[:3]))}{getattr(sys, 'abiflags', '')}", sysconfig.get_platform())`;

export function createLockedEnvironments({ root, registry, uv, built, log }: LockedParts): LockedEnvironments {
  const builds = new Map<string, Promise<string>>();
  /** Digest of a lock's text → its key: notebooks send the same lock with every cell. */
  const keys = new Map<string, string>();
  const pythons = createPythons({ uv: () => uv });

  /** Which interpreter it is, down to its build; asked once. */
  function buildOf(command: string): Promise<string> {
    const known = builds.get(command);
    if (known) return known;
    const asked = promisify(execFile)(command, ['-I', '-S', '-c', probe]).then(({ stdout }) => stdout.trim());
    builds.set(command, asked);
    asked.catch(() => builds.delete(command));
    return asked;
  }

  function keyOfLock(lockfile: string): string {
    const digest = createHash('sha256').update(lockfile).digest('hex');
    const key = keys.get(digest) ?? keyOf(lockfile);
    if (keys.size >= maxKeys) keys.clear();
    keys.set(digest, key);
    return key;
  }

  async function pythonOf({ python }: Block): Promise<InstalledPython> {
    const minor = python?.split('.').slice(0, 2).join('.');
    const fits = ({ version }: InstalledPython): boolean => version === (minor ?? version);
    const found = await pythons.find(fits);
    const fitting = found.find(fits);
    if (fitting) return fitting;
    const versions = found.map(({ version }) => version).join(', ') || 'none';
    throw lockProblem(`Python ${minor ?? ''} is not installed on this worker (it has ${versions})`);
  }

  async function build(block: Block, python: InstalledPython, place: string, signal: AbortSignal): Promise<void> {
    const check = (folder: string): Promise<void> => fs.access(path.join(folder, 'bin/python'));
    const wanted = { key: block.key, build: await buildOf(python.command), place, check, signal };
    if (registry !== null && (await fetchEnvironment({ ...wanted, registry }))) return;
    if (uv === undefined) throw lockProblem('uv is not on the path of this worker');
    const program = uv;
    const project = await fs.mkdtemp(path.join(root, '.project-'));
    try {
      await fs.writeFile(path.join(project, 'uv.lock'), block.lockfile);
      await fs.writeFile(path.join(project, 'pyproject.toml'), block.pyproject);
      await fs.rm(place, { recursive: true, force: true });
      await runUv(
        { program: async () => program, mayBuild: true },
        {
          signal,
          run: (command) => runCommand(command, { signal, onLine: (_stream, line) => log.debug(line) }),
          note: (line) => log.info(line),
        },
        {
          args: ['sync', '--python', python.command, '--frozen', '--no-install-project', '--no-dev'],
          directory: project,
          timeoutSeconds: installSeconds,
          env: { UV_PROJECT_ENVIRONMENT: place },
        },
      );
    } finally {
      await fs.rm(project, { recursive: true, force: true });
    }
  }

  return {
    async interpreterOf(environment, signal) {
      const block = checkedBlock(environment, keyOfLock);
      const python = await pythonOf(block);
      const place = path.join(root, environmentFolder(block.key, await buildOf(python.command)));
      await built.ensure(place, () => build(block, python, place, signal), signal);
      return path.join(place, 'bin/python');
    },
  };
}

function checkedBlock(environment: unknown, keyOfLock: (lockfile: string) => string): Block {
  const { data, error } = blockSchema.safeParse(environment);
  if (error) throw lockProblem(`it is not as the protocol says: ${z.prettifyError(error)}`);
  const key = keyOfLock(data.lockfile);
  if (key !== data.key) throw lockProblem(`the lock has the key ${key}, and was announced by ${data.key}`);
  return data;
}

function keyOf(lockfile: string): string {
  try {
    return environmentKey(parseLock(lockfile));
  } catch (error) {
    throw lockProblem(`the lock is not TOML: ${error instanceof Error ? error.message : error}`);
  }
}
