// R libraries that a server sends as a lock of renv: restored once under the digest of the lock, kept for the next cell. One
// is kept only when every package of the lock is in it.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import {
  environmentFolder,
  installedIn,
  needsRenv,
  programEnvironment,
  renvLockKey,
  runCommand,
} from '../environments/index.ts';
import type { Log } from '../observability/index.ts';
import { type BuiltOnce, lockProblem } from './builtOnce.ts';
import { fetchEnvironment } from './environmentRegistry.ts';

export interface LockedLibraries {
  /** The folder of the library, which is restored first where it is not there. */
  libraryOf(environment: unknown, signal: AbortSignal): Promise<string>;
  /** Whether R is here and can load its lock tool. */
  isUsable(): Promise<boolean>;
}

export interface LibrariesParts {
  readonly root: string;
  /** Where prebuilt libraries are; null: nowhere. */
  readonly registry: string | null;
  /** Undefined when this machine has no R. */
  readonly rscript: string | undefined;
  readonly built: BuiltOnce;
  readonly log: Log;
}

const blockSchema = z.object({
  key: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in lowercase hex'),
  lockfile: z.string(),
});
const lockSchema = z.looseObject({ Packages: z.record(z.string(), z.unknown()) });

/** The lock tool itself need not lie in the library. */
const lockTool = 'renv';
const restoreSeconds = 1800;
const probeMilliseconds = 60_000;
const buildCode = 'cat(paste0("R-", R.version$major, ".", R.version$minor), R.version$platform)';
const restoreCode = `${needsRenv}
options(renv.consent = TRUE)
renv::restore(project = ".", lockfile = "renv.lock", library = Sys.getenv("SVC_R_LIBRARY"), exclude = "renv", prompt = FALSE)`;

export function createLockedLibraries({ root, registry, rscript, built, log }: LibrariesParts): LockedLibraries {
  const folder = path.join(root, 'r');
  let build: Promise<string> | undefined;
  let usable: Promise<boolean> | undefined;

  const ask = async (code: string): Promise<string> => {
    const options = { timeout: probeMilliseconds, env: programEnvironment() };
    return (await promisify(execFile)(rscript ?? '', ['--no-init-file', '-e', code], options)).stdout.trim();
  };

  /** `R-4.4.1 x86_64-pc-linux-gnu`; asked once. */
  function buildOf(): Promise<string> {
    build ??= ask(buildCode).catch((error: unknown) => {
      build = undefined;
      throw error;
    });
    return build;
  }

  async function restore({ lockfile }: z.infer<typeof blockSchema>, place: string, signal: AbortSignal): Promise<void> {
    const project = await fs.mkdtemp(path.join(folder, '.project-'));
    try {
      await fs.writeFile(path.join(project, 'renv.lock'), lockfile);
      await fs.rm(place, { recursive: true, force: true });
      await fs.mkdir(place);
      const env = { ...programEnvironment(), SVC_R_LIBRARY: place, RENV_PATHS_CACHE: path.join(folder, 'cache') };
      await runCommand(
        {
          program: rscript ?? '',
          args: ['--no-init-file', '-e', restoreCode],
          shown: 'Rscript',
          directory: project,
          env,
          timeoutSeconds: restoreSeconds,
        },
        { signal, onLine: (_stream, line) => log.debug(line) },
      );
    } finally {
      await fs.rm(project, { recursive: true, force: true });
    }
  }

  return {
    async isUsable() {
      if (rscript === undefined) return false;
      usable ??= ask('cat(requireNamespace("renv", quietly = TRUE))').then((said) => said.endsWith('TRUE'));
      try {
        return await usable;
      } catch {
        // Too slow today is not an answer for ever.
        usable = undefined;
        return false;
      }
    },
    async libraryOf(environment, signal) {
      const block = checkedBlock(environment);
      const packages = packagesIn(block.lockfile);
      const version = await buildOf().catch((error: unknown) => {
        throw lockProblem(`R does not start: ${error instanceof Error ? error.message : error}`);
      });
      const place = path.join(folder, environmentFolder(block.key, version));
      const check = (library: string): Promise<void> => checkWhole(library, packages);
      await built.ensure(
        place,
        async () => {
          const wanted = { key: `r/${block.key}`, build: version, place, check, signal };
          if (registry !== null && (await fetchEnvironment({ ...wanted, registry }))) return;
          await restore(block, place, signal);
          await check(place);
        },
        signal,
      );
      return place;
    },
  };
}

function checkedBlock(environment: unknown): z.infer<typeof blockSchema> {
  const { data, error } = blockSchema.safeParse(environment);
  if (error) throw lockProblem(`it is not as the protocol says: ${z.prettifyError(error)}`);
  const key = renvLockKey(Buffer.from(data.lockfile));
  if (key !== data.key) throw lockProblem(`the lock has the key ${key}, and was announced by ${data.key}`);
  return data;
}

function packagesIn(lockfile: string): string[] {
  try {
    return Object.keys(lockSchema.parse(JSON.parse(lockfile)).Packages).filter((name) => name !== lockTool);
  } catch {
    throw lockProblem('the lock is not one of renv: it must be JSON with Packages');
  }
}

async function checkWhole(library: string, packages: readonly string[]): Promise<void> {
  const there = new Set((await installedIn(library)).map(({ name }) => name));
  const missing = packages.filter((name) => !there.has(name));
  if (missing.length > 0) throw new Error(`the library lacks ${missing.slice(0, 5).join(', ')} of its lock`);
}
