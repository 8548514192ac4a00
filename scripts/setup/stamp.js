// A stamp says for which inputs a step's result was made. It is written last, so a step cut short runs again.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './places.js';

/** Every source file below a folder. @param {string} folder @returns {string[]} */
export function filesOf(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.name !== 'dist' && entry.name !== 'node_modules')
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? filesOf(file) : [file];
    })
    .sort();
}

/** @param {string[]} files @param {string[]} facts @returns {string} */
export function fingerprint(files, facts = []) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  for (const fact of facts) hash.update(`${fact}\0`);
  return hash.digest('hex');
}

/** @param {string} folder @returns {string | undefined} */
export function readStamp(folder) {
  try {
    return fs.readFileSync(path.join(folder, '.svc-stamp'), 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} folder @param {string} value */
export function writeStamp(folder, value) {
  const file = path.join(folder, '.svc-stamp');
  fs.writeFileSync(`${file}.new`, value);
  fs.renameSync(`${file}.new`, file);
}

/** What changes after `time` is not in what the stamp speaks of. @param {string} folder @param {Date} time */
export function dateStamp(folder, time) {
  fs.utimesSync(path.join(folder, '.svc-stamp'), time, time);
}
