// R on this machine, and the library that renv keeps for a notebook. What can be read from files is read from files: R is
// started only to install.
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Command } from './command.ts';
import { isThere, readIfThere } from './files.ts';
import { renvLockKey } from './lockKey.ts';
import { describedIn, installedIn, type RPackage } from './rLibrary.ts';
import type { SharedLibraries } from './sharedLibrary.ts';
import { programEnvironment, type Shell } from './uv.ts';

export interface RPackages {
  readonly packages: readonly RPackage[];
  readonly packages_status: 'absent' | 'ok' | 'rscript_missing' | 'renv_not_active' | 'failed';
  readonly packages_error: string | null;
}

/** The last time that R's library was brought about. */
export interface RSync {
  readonly lock_hash: string;
  readonly r_version: string;
  readonly last_synced_at: number;
  readonly sync_error: string | null;
}

export const neverSynced: RSync = { lock_hash: '', r_version: '', last_synced_at: 0, sync_error: null };

export interface REnvironment extends RSync, RPackages {
  readonly has_lockfile: boolean;
  readonly current_lock_hash: string;
  readonly system_r_version: string | null;
  readonly sync_state: 'absent' | 'never' | 'ok' | 'outdated' | 'failed';
}

export interface RTools {
  /** Why packages are not installed for notebooks of this server; null where they are. */
  readonly noInstalling: string | null;
  isThere(): Promise<boolean>;
  isInitialised(directory: string): Promise<boolean>;
  version(): Promise<string | null>;
  /** Sets up renv, or brings back what an existing lock says. */
  init(directory: string, shell: Shell): Promise<void>;
  add(directory: string, name: string, shell: Shell): Promise<void>;
  survey(directory: string, last: RSync): Promise<REnvironment>;
  packages(directory: string): Promise<RPackages>;
}

export const rMissing =
  'Rscript not found on PATH. Install R (Debian: apt install r-base-core; macOS: brew install r) and try again; Python cells work without it.';

const reasons = {
  'harness user': 'its cells run as another user (SVC_NOTEBOOK_HARNESS_USER)',
  service: 'it is shared by many (SVC_DEPLOYMENT_MODE is service)',
};
const noInstalling = (because: keyof typeof reasons): string =>
  `Packages of R are installed by running their code, which this server does not do for a notebook: ${reasons[because]}. Ask its operator to install them in the library of R on this machine, or give the cell a worker.`;

/** Stops with what to do where renv is missing. */
export const needsRenv = `if (!requireNamespace("renv", quietly = TRUE)) stop(paste0(
  "renv is not installed for R ", getRversion(),
  ". Install it with: Rscript -e 'install.packages(\\"renv\\")', then try again. Everything else works without it."), call. = FALSE)`;

const initCode = `${needsRenv}
options(renv.consent = TRUE)
if (file.exists("renv.lock")) {
  # A lock that came by version control comes without what starts renv.
  if (!file.exists("renv/activate.R") || !file.exists(".Rprofile")) renv::activate(project = ".")
  renv::load(".")
  renv::restore(project = ".", exclude = "renv", prompt = FALSE)
} else {
  renv::init(project = ".", bare = TRUE, restart = FALSE, settings = list(snapshot.type = "all"))
  renv::load(".")
  renv::install(c("jsonlite", "arrow"), project = ".", prompt = FALSE)
  renv::snapshot(project = ".", type = "all", prompt = FALSE)
}`;

const addCode = `${needsRenv}
options(renv.consent = TRUE)
renv::load(".")
renv::install(commandArgs(TRUE), project = ".", prompt = FALSE)
renv::snapshot(project = ".", type = "all", prompt = FALSE)`;

/** Building packages of R from source takes its time. */
const initSeconds = 900;
const addSeconds = 600;

export const isRPackageName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9.]{0,98}[A-Za-z0-9]$/.test(name);

export interface RSettings {
  /** Where R's launcher lies, or undefined. */
  readonly rscript: () => string | undefined;
  /** Why nothing is installed: that runs code of packages, and would do so as the server. */
  readonly installsNothing?: keyof typeof reasons | null;
  /** Where libraries are shared; null where each notebook has its own. */
  readonly shared: SharedLibraries | null;
}

interface InstalledR {
  readonly program: string;
  readonly version: string | null;
}

export function createRTools({ rscript, shared, installsNothing = null }: RSettings): RTools {
  let known: InstalledR | undefined;

  async function find(): Promise<InstalledR | undefined> {
    const program = rscript();
    if (program === undefined) return undefined;
    if (known?.program !== program) known = { program, version: await versionBeside(program) };
    return known;
  }

  async function run(directory: string, code: string, args: string[], seconds: number, shell: Shell): Promise<void> {
    const r = await find();
    if (!r) throw new Error(rMissing);
    const command: Command = {
      program: r.program,
      // The project's own profile would start renv before we have looked whether it is there.
      args: ['--no-init-file', '-e', code, ...args],
      shown: 'Rscript',
      directory,
      env: programEnvironment(),
      timeoutSeconds: seconds,
    };
    const work = async (): Promise<void> => void (await shell.run(command));
    const build = `R-${r.version} ${process.platform}-${process.arch}`;
    await (shared ? shared.around(directory, build, work, shell.signal) : work());
  }

  async function packages(directory: string): Promise<RPackages> {
    const none = (packages_status: RPackages['packages_status']): RPackages => ({
      packages: [],
      packages_status,
      packages_error: null,
    });
    if (!(await isThere(path.join(directory, 'renv.lock')))) return none('absent');
    if (!(await find())) return none('rscript_missing');
    if (!(await isThere(path.join(directory, 'renv/activate.R')))) return none('renv_not_active');
    try {
      return { ...none('ok'), packages: await installedIn(path.join(directory, 'renv/library')) };
    } catch (error) {
      return { ...none('failed'), packages_error: error instanceof Error ? error.message : String(error) };
    }
  }

  return {
    noInstalling: installsNothing && noInstalling(installsNothing),
    isThere: async () => (await find()) !== undefined,
    isInitialised: (directory) => isThere(path.join(directory, 'renv.lock')),
    version: async () => (await find())?.version ?? null,
    init: (directory, shell) => run(directory, initCode, [], initSeconds, shell),
    add: (directory, name, shell) => run(directory, addCode, [name], addSeconds, shell),
    packages,
    async survey(directory, last) {
      const [lock, r] = await Promise.all([readIfThere(path.join(directory, 'renv.lock')), find()]);
      const current = lock ? renvLockKey(lock) : '';
      return {
        has_lockfile: lock !== undefined,
        current_lock_hash: current,
        lock_hash: last.lock_hash,
        r_version: last.r_version,
        system_r_version: r?.version ?? null,
        last_synced_at: last.last_synced_at,
        sync_state: stateOf(current, last),
        sync_error: last.sync_error,
        packages: [],
        packages_status: 'absent',
        packages_error: null,
      };
    },
  };
}

function stateOf(current: string, { lock_hash, sync_error, last_synced_at }: RSync): REnvironment['sync_state'] {
  if (sync_error !== null) return 'failed';
  if (current === '') return 'absent';
  if (last_synced_at === 0) return 'never';
  return lock_hash === current ? 'ok' : 'outdated';
}

/** The launcher names R's home, whose base package carries R's version: no need to start it. */
async function versionBeside(rscript: string): Promise<string | null> {
  const script = await fs.readFile(path.join(path.dirname(rscript), 'R'), 'utf8').catch(() => '');
  const [, home] = /^R_HOME_DIR=["']?([^"'\n]+)["']?$/m.exec(script) ?? [];
  if (home === undefined) return null;
  return (await describedIn(path.join(home, 'library/base')))?.version ?? null;
}
