// Where Python interpreters lie on this machine. No program is started for it. Version managers put scripts on the path
// (shims) that start a shell to find the real interpreter: where the real ones are, those are taken instead.
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** @typedef {Readonly<Record<string, string | undefined>>} Variables */
/**
 * @typedef {object} Interpreters
 * @property {string[]} files likely newest first, each real file once
 * @property {string[]} shims those of version managers whose real interpreters were not found
 */

export const newestMinor = 14;
export const oldestMinor = 10;

const names = Array.from({ length: newestMinor - oldestMinor + 1 }, (_, at) => `python3.${newestMinor - at}`);
names.push('python3', 'python');

/**
 * @typedef {object} Machine
 * @property {Variables} env
 * @property {readonly string[]} usual folders that are looked at even where the path does not name them
 */
/** @type {Machine} */
export const thisMachine = { env: process.env, usual: ['/usr/local/bin', '/opt/homebrew/bin'] };

/** @param {Machine} [machine] @returns {Promise<Interpreters>} */
export async function interpretersHere({ env, usual } = thisMachine) {
  const onPath = foldersOnPath(env);
  const plain = onPath.filter((folder) => !isShims(folder));
  const managed = (await Promise.all(managedRoots(env).map(installedUnder))).flat();
  const folders = [...plain, ...usual, ...managed];
  return { files: await eachOnce(namedIn(folders)), shims: await loneShims(onPath.filter(isShims)) };
}

/** The path for programs that look for interpreters themselves. @param {Variables} env */
export const pathWithoutShims = (env) =>
  foldersOnPath(env)
    .filter((folder) => !isShims(folder))
    .join(path.delimiter);

/** @param {Variables} env */
export const foldersOnPath = (env) => [...new Set((env.PATH ?? '').split(path.delimiter).filter(Boolean))];

/** pyenv, asdf, mise and rtx all call the folder so. @param {string} folder */
export const isShims = (folder) => path.basename(folder) === 'shims';

/** Folders with one folder for each installed interpreter. @param {Variables} env */
function managedRoots(env) {
  const home = env.HOME ?? os.homedir();
  const data = env.XDG_DATA_HOME ?? path.join(home, '.local/share');
  const managers = [
    env.PYENV_ROOT ?? path.join(home, '.pyenv'),
    env.ASDF_DATA_DIR ?? path.join(home, '.asdf'),
    env.MISE_DATA_DIR ?? path.join(data, 'mise'),
    env.RTX_DATA_DIR ?? path.join(data, 'rtx'),
    ...foldersOnPath(env).filter(isShims).map(path.dirname),
  ];
  return [...new Set([...managers.flatMap(rootsOf), env.UV_PYTHON_INSTALL_DIR ?? path.join(data, 'uv/python')])];
}

/** @param {string} manager the folder of a version manager */
const rootsOf = (manager) => [path.join(manager, 'versions'), path.join(manager, 'installs/python')];

/** @param {string} folder @returns {Promise<string[]>} */
async function installedUnder(folder) {
  const found = await fs.readdir(folder).catch(() => []);
  return found.map((name) => path.join(folder, name, 'bin'));
}

/** @param {string[]} folders */
const namedIn = (folders) => names.flatMap((name) => folders.map((folder) => path.join(folder, name)));

/**
 * Many names lead to one interpreter; it is taken under the first of them.
 * @param {string[]} places
 * @returns {Promise<string[]>}
 */
export async function eachOnce(places) {
  const found = await Promise.all(
    // Few of the names are there: a promise for each would cost an idle server half a megabyte.
    [...new Set(places)]
      .filter(existsSync)
      .map(async (place) => ({ place, real: await fs.realpath(place).catch(() => undefined) })),
  );
  /** @type {Map<string, string>} */
  const byFile = new Map();
  for (const { place, real } of found)
    if (real !== undefined && !byFile.has(real) && !isTooOld(real))
      byFile.set(real, await outsideEnvironments(place, real));
  return [...byFile.values()];
}

/** `python3.9` need not be asked. @param {string} file */
function isTooOld(file) {
  const [, major, minor] = /^python(\d)\.(\d+)$/.exec(path.basename(file)) ?? [];
  return major !== undefined && (Number(major) < 3 || Number(minor) < oldestMinor);
}

/** A virtual environment may be gone tomorrow; what it was made from stays. @param {string} place @param {string} real */
const outsideEnvironments = (place, real) =>
  fs.access(path.join(path.dirname(place), '../pyvenv.cfg')).then(
    () => real,
    () => place,
  );

/** @param {string[]} folders @returns {Promise<string[]>} */
async function loneShims(folders) {
  const lone = await Promise.all(
    folders.map(async (folder) => {
      const installed = (await Promise.all(rootsOf(path.dirname(folder)).map(installedUnder))).flat();
      return (await eachOnce(namedIn(installed))).length > 0 ? [] : namedIn([folder]).filter(existsSync);
    }),
  );
  return lone.flat();
}
