// Whether `dist` holds what would be built of the sources now: nothing below `src` has changed since. An installed package
// has no sources, and its build is all there is.
import fs from 'node:fs';
import path from 'node:path';
import { build, isCheckout, sources } from '../scripts/setup/places.js';

export function isBuilt() {
  if (!isCheckout) return true;
  try {
    return isOlder(sources, fs.statSync(path.join(build, '.svc-stamp')).mtimeMs);
  } catch {
    return false;
  }
}

/** @param {string} folder @param {number} time @returns {boolean} whether it and all it holds were last changed before */
function isOlder(folder, time) {
  if (fs.statSync(folder).mtimeMs > time) return false;
  return fs.readdirSync(folder, { withFileTypes: true }).every((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? isOlder(file, time) : fs.statSync(file).mtimeMs <= time;
  });
}
