// What the tests of the notebook rooms share: folders that vanish, and numbers that a seed determines.
import { randomInt } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** SVC_TEST_SEED repeats a run; every random test prints the seed it used. */
export const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31));

/** The next number in [0, 1) at each call (mulberry32). */
export function randomNumbers(start: number): () => number {
  let state = start | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Folder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<Folder> {
  const place = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'svc-notebook-')));
  return { path: place, [Symbol.asyncDispose]: () => fs.rm(place, { recursive: true, force: true }) };
}
