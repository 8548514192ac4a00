// A Python environment for tests below `.tools`, made once from locked requirements. Needs a package index the first time.
import fs from 'node:fs';
import path from 'node:path';
import { withLock } from '../../scripts/setup/lock.js';
import { tools } from '../../scripts/setup/places.js';
import { findPython } from '../../scripts/setup/python.js';
import { run } from '../../scripts/setup/run.js';
import { fingerprint, readStamp, writeStamp } from '../../scripts/setup/stamp.js';
import { findUv, uvStep } from '../../scripts/setup/uv.js';

/** An interpreter for what needs the standard library alone: SVC_TEST_PYTHON, else the newest there is. */
export async function bareInterpreter(): Promise<string> {
  if (process.env.SVC_TEST_PYTHON !== undefined) return process.env.SVC_TEST_PYTHON;
  const python = await findPython();
  if (python === undefined) throw new Error('No Python 3.10 or newer was found; install one.');
  return python.command;
}

/** Gives the folder of its programs. */
export async function pythonEnvironment(
  name: string,
  requirements: string,
  note: (text: string) => void,
): Promise<string> {
  const folder = path.join(tools, name);
  await withLock({ note }, () => build(folder, requirements));
  return path.join(folder, 'bin');
}

async function build(folder: string, requirements: string): Promise<void> {
  const interpreter = path.join(folder, 'bin/python');
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
