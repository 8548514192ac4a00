// What the environment of a notebook is, read from its files: what the project declares, what the lock resolved, which
// interpreter stands in `.venv`. No program is started for it.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { readPlainFile } from '../files/index.ts';
import { isThere, readIfThere } from './files.ts';
import { lockfileHash, parseLock } from './lockKey.ts';
import { type Makeshift, makeshiftHash, readMakeshift } from './makeshift.ts';
import { type Dependency, dependencyOf, minorOf, projectFileName, readProject } from './projectFile.ts';

export interface Survey {
  readonly problem: string | null;
  readonly requirements: readonly string[];
  readonly requiresPython: string;
  readonly requestedPython: string;
  readonly dependencies: readonly Dependency[];
  readonly resolved: readonly Dependency[];
  readonly lockfileHash: string;
  readonly hasLockfile: boolean;
  readonly venvPython: string | null;
  readonly runtimeVersion: string;
  /** No package index could be reached when `.venv` was made: it holds what it holds, whatever the lock says. */
  readonly isMakeshift: boolean;
  /** The same as long as project, lock and environment are; empty where what is installed may change without them. */
  readonly fingerprint: string;
}

export async function surveyEnvironment(directory: string): Promise<Survey> {
  const [project, text, lock, renvLock, venv, makeshift] = await Promise.all([
    readProject(directory),
    readable(path.join(directory, projectFileName)),
    readable(path.join(directory, 'uv.lock')),
    readable(path.join(directory, 'renv.lock')),
    venvOf(directory),
    readMakeshift(directory),
  ]);
  return {
    problem: project.problem,
    requirements: project.requirements,
    requiresPython: project.requiresPython,
    requestedPython: minorOf(project.requiresPython),
    dependencies: project.requirements.map(dependencyOf),
    resolved: makeshift ? lentIn(makeshift) : resolvedIn(lock),
    lockfileHash: makeshift ? makeshiftHash(makeshift, renvLock) : lockfileHash(lock, renvLock),
    hasLockfile: lock !== undefined,
    venvPython: venv.python,
    runtimeVersion: venv.version,
    isMakeshift: makeshift !== undefined,
    // The next open tries again to do better.
    fingerprint: text && lock && !makeshift && venv.python !== null ? fingerprintOf(text, lock, venv.settings) : '',
  };
}

/** A file that cannot be read, whatever it is, does not keep a notebook from being opened. */
const readable = (file: string): Promise<Buffer | undefined> => readIfThere(file).catch(() => undefined);

/** Packages from folders of the machine are installed anew when those change. */
function fingerprintOf(project: Buffer, lock: Buffer, venv: string): string {
  if (/\btool\s*\.\s*uv\s*\.\s*(sources|workspace)\b|\bsources\s*=/.test(project.toString('utf8'))) return '';
  const hash = createHash('sha256');
  for (const part of [project, lock, Buffer.from(venv)]) hash.update(`${part.length}\0`).update(part);
  return hash.digest('hex');
}

const lentIn = ({ packages }: Makeshift): Dependency[] =>
  Object.entries(packages)
    .map(([name, version]) => ({ name, version, specifier: null }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

function resolvedIn(lock: Buffer | undefined): Dependency[] {
  if (!lock) return [];
  try {
    return parseLock(lock.toString('utf8'))
      .packages.map(({ name, version }) => ({
        name: String(name),
        version: typeof version === 'string' ? version : null,
        specifier: null,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

async function venvOf(directory: string): Promise<{ python: string | null; version: string; settings: string }> {
  const venv = path.join(directory, '.venv');
  const python = path.join(venv, 'bin/python');
  const settings = String(await readPlainFile(path.join(venv, 'pyvenv.cfg')).catch(() => ''));
  const [, version = ''] = /^version(?:_info)?\s*=\s*(\d+\.\d+\.\d+)/m.exec(settings) ?? [];
  const isUsable =
    (await isThere(python)) &&
    (await fs.access(python, fs.constants.X_OK).then(
      () => true,
      () => false,
    ));
  return isUsable ? { python, version, settings } : { python: null, version: '', settings };
}
