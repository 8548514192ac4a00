// Runs a program of this project on its own Node. Plain JavaScript: it may be started by an older one.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compiled } from '../scripts/setup/places.js';
import { clearEnvironment } from './clearedEnvironment.js';
import { forgetFewArenas, withFewArenas } from './fewArenas.js';
import { isBuilt } from './isBuilt.js';
import { startLean } from './leanStart.js';

/** @param {{ built: string, source: string }} program module paths beside this file */
export async function launch({ built, source }) {
  if (Number(process.versions.node.split('.')[0]) >= 26) {
    forgetFewArenas();
    startLean();
    // Compiled sources are kept between starts: a third of the start time.
    module.enableCompileCache(compiled);
    await import(isBuilt() ? built : source);
    // Now rather than at the end, which a server that is killed never reaches.
    module.flushCompileCache();
    return;
  }
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  if (!fs.existsSync(node)) {
    process.stderr.write('The packages are not installed yet: run `npm start` or `npm ci` in the checkout first.\n');
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env: withFewArenas(process.env) });
  // An older Node cannot put the program in its own place; what it was given is shown by the program alone, or by nobody.
  clearEnvironment(process.pid, (name) => name.startsWith('SVC_'));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(/** @type {NodeJS.Signals} */ (signal)));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}
