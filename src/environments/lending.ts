// Lends packages of one environment to another: their files, as the lists of what was installed name them. Compiled ones
// fit only the version of Python that they were built for; what cannot be imported in the end is not lent.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { dependencyOf, runtimeRequirements } from './projectFile.ts';
import { pythonFits } from './pythonFits.ts';
import type { InstalledPython } from './pythons.ts';
import { programEnvironment } from './uv.ts';

export interface PackageLender {
  /** Puts what fits of `requirements` into the environment; gives each name with its version. */
  lend(venv: string, python: InstalledPython, requirements: readonly string[]): Promise<Record<string, string>>;
}

interface Lendable {
  readonly name: string;
  readonly version: string;
  /** Relative to where packages lie. */
  readonly files: readonly string[];
  readonly isCompiled: boolean;
}

/** They need no other package: lending more would take a resolver. */
const lendable = new Set(runtimeRequirements.map((text) => dependencyOf(text).name));

/** `environment` is looked at when something is wanted of it; undefined where it is not ready. */
export function createPackageLender(environment: () => Promise<string | undefined>): PackageLender {
  return {
    async lend(venv, python, requirements) {
      const own = await environment();
      const [from, to] = await Promise.all([own === undefined ? undefined : packagesOf(own), packagesOf(venv)]);
      if (!from || !to) return {};
      const wanted = requirements.map(dependencyOf).filter(({ name }) => lendable.has(name));
      const found = await Promise.all(wanted.map(({ name }) => findPackage(from.folder, name)));
      const fitting = found
        .filter((one) => one !== undefined)
        .filter(({ isCompiled }) => !isCompiled || from.version === python.version)
        .filter(({ name, version }) => wanted.every((one) => one.name !== name || fits(one.specifier, version)));
      for (const { files } of fitting) await Promise.all(files.map((file) => linkFile(file, from.folder, to.folder)));
      const usable = await importable(path.join(venv, 'bin/python'), fitting);
      const useless = fitting.filter((one) => !usable.includes(one));
      await Promise.all(useless.flatMap(({ files }) => files.map((file) => fs.rm(path.join(to.folder, file)))));
      return Object.fromEntries(usable.map(({ name, version }) => [name, version]));
    },
  };
}

/** One that names an address wants just what lies there. */
const fits = (specifier: string | null, version: string): boolean =>
  specifier === null || (!specifier.startsWith('@') && pythonFits(specifier, version));

async function packagesOf(environment: string): Promise<{ folder: string; version: string } | undefined> {
  const lib = path.join(environment, 'lib');
  const name = (await fs.readdir(lib).catch(() => [])).find((one) => /^python3\.\d+$/.test(one));
  return name === undefined
    ? undefined
    : { folder: path.join(lib, name, 'site-packages'), version: name.slice('python'.length) };
}

async function findPackage(folder: string, name: string): Promise<Lendable | undefined> {
  const info = (await fs.readdir(folder).catch(() => [])).find(
    (one) => one.startsWith(`${name}-`) && one.endsWith('.dist-info'),
  );
  if (info === undefined) return undefined;
  const [record, wheel] = await Promise.all(
    ['RECORD', 'WHEEL'].map((file) => fs.readFile(path.join(folder, info, file), 'utf8').catch(() => '')),
  );
  return {
    name,
    version: info.slice(name.length + 1, -'.dist-info'.length),
    files: filesIn(record ?? ''),
    isCompiled: !/^Root-Is-Purelib:\s*true/im.test(wheel ?? ''),
  };
}

/** Lines are `path,hash,size`; a path with a comma stands in quotes. Programs lie outside and are left out. */
function filesIn(record: string): string[] {
  const paths = record.split(/\r?\n/).map((line) => /^(?:"([^"]+)"|([^,]+)),/.exec(line));
  return paths
    .flatMap((found) => found?.[1] ?? found?.[2] ?? [])
    .filter((file) => !path.isAbsolute(file) && !file.split('/').includes('..') && !file.includes('__pycache__'));
}

/** As uv does with its cache: the same bytes, once on disk where the file system can. */
async function linkFile(file: string, from: string, to: string): Promise<void> {
  const place = path.join(to, file);
  await fs.mkdir(path.dirname(place), { recursive: true });
  await fs.link(path.join(from, file), place).catch(() => fs.copyFile(path.join(from, file), place));
}

const probe = `import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
        print(name, flush=True)
    except Exception:
        pass`;

async function importable(python: string, packages: readonly Lendable[]): Promise<readonly Lendable[]> {
  if (packages.length === 0) return [];
  const names = packages.map(({ name }) => name);
  const imported = await new Promise<readonly string[]>((resolve) => {
    const options = { timeout: 60_000, env: programEnvironment() };
    // One that ends the process takes those after it along: they are left out too.
    execFile(python, ['-I', '-c', probe, ...names], options, (_error, stdout) => resolve(stdout.split('\n')));
  });
  return packages.filter(({ name }) => imported.includes(name));
}
