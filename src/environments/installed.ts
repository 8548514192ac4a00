// What is installed in an environment, package by package, and between two moments: what a change of packages could matter to.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/** One package as it lies there. */
export interface InstalledPackage {
  /** Of its version and all its files; null where it does not say which they are. */
  readonly digest: string | null;
  /** The modules and folders that it puts among all others. */
  readonly modules: readonly string[];
  /** Others can ask for what it offers without knowing its name. */
  readonly hasEntryPoints: boolean;
  /** It does something whenever Python starts. */
  readonly runsAtStart: boolean;
  /** Others may be linked to what lies in it, and load it without a word to Python. */
  readonly hasLibraries: boolean;
  /** Names of the packages that it cannot do without. */
  readonly requires: readonly string[];
}

/** By normalised name. */
export type Installed = ReadonlyMap<string, InstalledPackage>;

/** Packages that came, went or are others. */
export interface PackageChange {
  /** Modules that they have or had. */
  readonly modules: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  readonly hasEntryPoints: boolean;
}

/** What cells are run by: nobody says of a cell that it does without. */
const runtimePackages = ['pyarrow', 'orjson', 'cloudpickle'];

export const venvPlace = (directory: string): string => path.join(directory, '.venv');

/** Undefined where there is no environment. */
export async function readInstalled(venv: string): Promise<Installed | undefined> {
  const homes = await sitePackages(venv);
  if (homes.length !== 1) return undefined;
  const [home = ''] = homes;
  const names = (await fs.readdir(home)).filter((name) => name.endsWith('.dist-info'));
  const found = await Promise.all(names.map(async (name) => [nameOf(name), await readPackage(home, name)] as const));
  return new Map(found);
}

async function sitePackages(venv: string): Promise<string[]> {
  const versions = await fs.readdir(path.join(venv, 'lib')).catch(() => []);
  const homes = versions.map((version) => path.join(venv, 'lib', version, 'site-packages'));
  const areThere = await Promise.all(
    homes.map((home) =>
      fs.stat(home).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  return homes.filter((_, index) => areThere[index]);
}

/** As indexes write names of packages. */
const normalised = (name: string): string => name.replace(/[-_.]+/g, '-').toLowerCase();
const nameOf = (folder: string): string => normalised(folder.slice(0, folder.indexOf('-')));

async function readPackage(home: string, folder: string): Promise<InstalledPackage> {
  const read = (file: string): Promise<string | undefined> =>
    fs.readFile(path.join(home, folder, file), 'utf8').catch(() => undefined);
  const [record, metadata = ''] = await Promise.all([read('RECORD'), read('METADATA')]);
  const requires = requiredBy(metadata);
  if (record === undefined)
    return { digest: null, modules: [], hasEntryPoints: true, runsAtStart: true, hasLibraries: true, requires };
  const hash = createHash('sha256').update(folder);
  const modules = new Set<string>();
  let hasEntryPoints = false;
  let runsAtStart = false;
  let hasLibraries = false;
  // What Python keeps of modules, and what installers note, may be others for the same package.
  for (const line of record
    .split('\n')
    .map((one) => one.trimEnd())
    .sort()) {
    const file = fileIn(line);
    const [first = '', ...rest] = file.split('/');
    hasLibraries ||= sharedLibrary.test(file);
    if (first === '' || first === '..' || keptByPython.test(file)) continue;
    if (first === folder) {
      hasEntryPoints ||= rest[0] === 'entry_points.txt';
      if (!notedByInstallers.test(file)) hash.update(`\0${line}`);
      continue;
    }
    hash.update(`\0${line}`);
    modules.add(rest.length > 0 ? first : (first.split('.')[0] ?? first));
    runsAtStart ||= rest.length === 0 && /\.pth$|^(site|user)customize\.py$/.test(first);
  }
  return { digest: hash.digest('hex'), modules: [...modules], hasEntryPoints, runsAtStart, hasLibraries, requires };
}

const keptByPython = /(^|\/)__pycache__\/[^/]*\.pyc$/;
/** Modules of Python are not called so. */
const sharedLibrary = /(^|\/)lib[^/]*\.(so|dylib)[^/]*$|\.dll$/;
const notedByInstallers = /\/(RECORD|INSTALLER|REQUESTED|direct_url\.json|uv_\w+\.json)$/;

/** What is required only by whoever asks for an extra is looked for, found or not, when it is used. */
function requiredBy(metadata: string): string[] {
  const [headers = ''] = metadata.split(/\r?\n\r?\n/, 1);
  return [...headers.matchAll(/^Requires-Dist:\s*([\w.-]+)(.*)$/gim)]
    .filter(([, , rest = '']) => !/\bextra\s*==/.test(rest))
    .map(([, name = '']) => normalised(name));
}

/** The first column; names with a comma are quoted. */
const fileIn = (line: string): string =>
  /^"((?:[^"]|"")*)"/.exec(line)?.[1] ?? line.slice(0, Math.max(0, line.indexOf(',')));

/** Undefined where nobody can say, or where every cell could notice it. */
export function changeBetween(before: Installed | undefined, after: Installed | undefined): PackageChange | undefined {
  if (!before || !after) return undefined;
  const isOther = (name: string): boolean => {
    const [was, is] = [before.get(name), after.get(name)];
    return was?.digest == null || is?.digest == null || was.digest !== is.digest;
  };
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(isOther);
  const others = names.flatMap((name) => [before.get(name) ?? [], after.get(name) ?? []].flat());
  if (others.some(({ digest, runsAtStart }) => digest === null || runsAtStart)) return undefined;
  if (names.some((name) => runtimePackages.includes(name))) return undefined;
  const linked = requiring(
    before,
    names.filter((name) => before.get(name)?.hasLibraries),
  );
  return {
    modules: new Set([...others, ...linked].flatMap(({ modules }) => modules)),
    packages: new Set(names),
    hasEntryPoints: others.some(({ hasEntryPoints }) => hasEntryPoints),
  };
}

/** Packages that require one of these, however far. */
function requiring(installed: Installed, names: readonly string[]): InstalledPackage[] {
  const found = new Set(names);
  for (const name of found)
    for (const [other, { requires }] of installed) if (requires.includes(name)) found.add(other);
  return [...found].flatMap((name) => installed.get(name) ?? []);
}

/** `used`: what a run looked for, as its process told it (`package_use.py`). */
export function couldNotice(used: string, { modules, packages, hasEntryPoints }: PackageChange): boolean {
  return used.split(' ').some((name) => {
    // What R brings is in no list of ours.
    if (name === 'rpy2') return true;
    if (name === '*') return packages.size > 0;
    if (name === 'entry-points') return hasEntryPoints;
    return name.startsWith('dist:') ? packages.has(name.slice('dist:'.length)) : modules.has(name);
  });
}
