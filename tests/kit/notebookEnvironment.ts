// A notebook's Python environment with the packages that cells use in tests: `.tools/test-notebook`, made once from the
// locked `notebook-requirements.txt` (written with `uv pip compile --universal --python-version 3.10 --generate-hashes
// --no-emit-index-url --no-header`). Needs a package index the first time.
import fs from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withLock } from '../../scripts/setup/lock.js';
import { tools } from '../../scripts/setup/places.js';
import { findPython } from '../../scripts/setup/python.js';
import { run } from '../../scripts/setup/run.js';
import { fingerprint, readStamp, writeStamp } from '../../scripts/setup/stamp.js';
import { findUv, uvStep } from '../../scripts/setup/uv.js';

const folder = path.join(tools, 'test-notebook');
const interpreter = path.join(folder, 'bin/python');
const requirements = fileURLToPath(new URL('./notebook-requirements.txt', import.meta.url));

/** The interpreter of the environment; undefined after the test was marked as skipped, which CI does not accept. */
export async function notebookEnvironment(t: TestContext): Promise<string | undefined> {
  try {
    await withLock({ note: (text) => t.diagnostic(text) }, build);
    return interpreter;
  } catch (problem) {
    if (process.env.SVC_TEST_ALL === '1') throw problem;
    t.skip(`The test notebook's environment could not be made: ${String(problem)}`);
    return undefined;
  }
}

/** An interpreter for what needs the standard library alone: SVC_TEST_PYTHON, else the newest there is. */
export async function bareInterpreter(): Promise<string> {
  if (process.env.SVC_TEST_PYTHON !== undefined) return process.env.SVC_TEST_PYTHON;
  const python = await findPython();
  if (python === undefined) throw new Error('No Python 3.10 or newer was found; install one.');
  return python.command;
}

async function build(): Promise<void> {
  const python = await bareInterpreter();
  const stamp = fingerprint([requirements], [python]);
  if (readStamp(folder) === stamp && fs.existsSync(interpreter)) return;
  if (!(await uvStep.isDone())) await uvStep.run(() => {});
  const uv = findUv() ?? 'uv';
  fs.rmSync(folder, { recursive: true, force: true });
  for (const args of [
    ['venv', '--python', python, folder],
    ['pip', 'sync', '--python', interpreter, '--require-hashes', requirements],
  ]) {
    const { code, tail } = await run(uv, args);
    if (code !== 0) throw new Error(tail);
  }
  writeStamp(folder, stamp);
}
