// Environments that a server sends as a lock: installed once under the hash of the lock, kept for the next cell. A lock
// whose hash is not the one it was announced by is not installed.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
  environmentFolder,
  environmentKey,
  type InstalledPython,
  installedPythons,
  parseLock,
  runCommand,
  runUv,
} from '../environments/index.ts';
import type { Log } from '../observability/index.ts';
import { fetchEnvironment } from './environmentRegistry.ts';
import { failed, WorkerRefused } from './refused.ts';

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
  readonly log: Log;
}

const blockSchema = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lowercase hex'),
  python: z.string().optional(),
  lockfile: z.string(),
  pyproject: z.string(),
});
type Block = z.infer<typeof blockSchema>;

const marker = '.svc-env-complete';
const installSeconds = 1800;
const maxKeys = 1000;
const idleMilliseconds = 30 * 86_400_000;
const probe = `import sys, sysconfig
print(f"{sys.implementation.name}-{'.'.join(map(str, sys.version_info[:3]))}{getattr(sys, 'abiflags', '')}", sysconfig.get_platform())`;

export function createLockedEnvironments({ root, registry, uv, log }: LockedParts): LockedEnvironments {
  const installing = new Map<string, Promise<void>>();
  const builds = new Map<string, Promise<string>>();
  /** Digest of a lock's text → its key: notebooks send the same lock with every cell. */
  const keys = new Map<string, string>();
  let pythons: Promise<readonly InstalledPython[]> | undefined;

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
    pythons ??= installedPythons(uv);
    const found = await pythons;
    const minor = python?.split('.').slice(0, 2).join('.');
    const fitting = minor === undefined ? found[0] : found.find(({ version }) => version === minor);
    if (fitting) return fitting;
    const versions = found.map(({ version }) => version).join(', ') || 'none';
    throw problem(`Python ${minor ?? ''} is not installed on this worker (it has ${versions})`);
  }

  /** One builder at a time; whoever comes meanwhile waits for it, and tries itself when that one was cancelled. */
  async function install(block: Block, python: InstalledPython, place: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (await isComplete(place)) return;
      const other = installing.get(place);
      if (!other) break;
      await other.catch(() => {});
      signal.throwIfAborted();
    }
    const work = build(block, python, place, signal).finally(() => installing.delete(place));
    installing.set(place, work);
    await work;
  }

  async function build(block: Block, python: InstalledPython, place: string, signal: AbortSignal): Promise<void> {
    await fs.mkdir(root, { recursive: true });
    const wanted = { key: block.key, build: await buildOf(python.command), place, signal };
    if (registry !== null && (await fetchEnvironment({ ...wanted, registry }))) {
      await fs.writeFile(path.join(place, marker), '');
      return;
    }
    if (uv === undefined) throw problem('uv is not on the path of this worker');
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
      await fs.writeFile(path.join(place, marker), '');
    } finally {
      await fs.rm(project, { recursive: true, force: true });
    }
  }

  return {
    async interpreterOf(environment, signal) {
      const block = checkedBlock(environment, keyOfLock);
      const python = await pythonOf(block);
      const place = path.join(root, environmentFolder(block.key, await buildOf(python.command)));
      try {
        await install(block, python, place, signal);
      } catch (error) {
        if (error instanceof WorkerRefused || signal.aborted) throw error;
        throw problem(error instanceof Error ? error.message : String(error));
      }
      const now = new Date();
      await fs.utimes(path.join(place, marker), now, now);
      return path.join(place, 'bin/python');
    },
  };
}

const problem = (reason: string): WorkerRefused => failed(500, `locked environment: ${reason}`);

const isComplete = (place: string): Promise<boolean> =>
  fs.access(path.join(place, marker)).then(
    () => true,
    () => false,
  );

function checkedBlock(environment: unknown, keyOfLock: (lockfile: string) => string): Block {
  const { data, error } = blockSchema.safeParse(environment);
  if (error) throw problem(`it is not as the protocol says: ${z.prettifyError(error)}`);
  const key = keyOfLock(data.lockfile);
  if (key !== data.key) throw problem(`the lock has the key ${key}, and was announced by ${data.key}`);
  return data;
}

function keyOf(lockfile: string): string {
  try {
    return environmentKey(parseLock(lockfile));
  } catch (error) {
    throw problem(`the lock is not TOML: ${error instanceof Error ? error.message : error}`);
  }
}

/** Environments that no cell has used for a month go. */
export async function collectLocked(root: string, now: number): Promise<number> {
  let removed = 0;
  for (const name of await fs.readdir(root).catch(() => [])) {
    const used = await fs.stat(path.join(root, name, marker)).catch(() => undefined);
    if (!used || now - used.mtimeMs < idleMilliseconds) continue;
    await fs.rm(path.join(root, name), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
