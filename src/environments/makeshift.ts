// What a notebook runs in while no package index can be reached: an environment of its own without a lock, with the base
// packages that the server can lend. A note in it says what it holds; results belong to just that, and never to a lock.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readOwnJson } from '../files/index.ts';
import type { PythonBackend, Work } from './backend.ts';
import { replaceFile } from './files.ts';
import type { PackageLender } from './lending.ts';
import { dependencyOf } from './projectFile.ts';

const schema = z.object({ python: z.string(), packages: z.record(z.string(), z.string()) });

/** `packages`: name → version. */
export type Makeshift = Readonly<z.infer<typeof schema>>;

/** In the environment itself: it goes when that does. Written last, so half an environment has none. */
export const makeshiftNote = '.venv/svc-makeshift.json';

export async function readMakeshift(directory: string): Promise<Makeshift | undefined> {
  try {
    return schema.parse(await readOwnJson(path.join(directory, makeshiftNote)));
  } catch {
    return undefined;
  }
}

/** What of it enters the keys of results. */
export function makeshiftHash({ python, packages }: Makeshift, renvLock: Uint8Array | undefined): string {
  const names = Object.keys(packages).sort();
  const hash = createHash('sha256').update(`\0makeshift=${python}`);
  for (const name of names) hash.update(`\0pkg=${name}@${packages[name]}`);
  if (renvLock) hash.update('\0renv=').update(renvLock);
  return hash.digest('hex');
}

export interface MakeshiftParts {
  readonly backend: Pick<PythonBackend, 'makeBare'>;
  readonly lender: PackageLender | undefined;
  /** As the project declares them. */
  readonly requirements: readonly string[];
}

export async function makeMakeshift(work: Work, { backend, lender, requirements }: MakeshiftParts): Promise<Makeshift> {
  const venv = path.join(work.directory, '.venv');
  await backend.makeBare(work);
  const packages = (await lender?.lend(venv, work.python, requirements)) ?? {};
  work.shell.signal.throwIfAborted();
  const made: Makeshift = { python: work.python.fullVersion, packages };
  await replaceFile(path.join(work.directory, makeshiftNote), `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Whether one may be made here: what somebody installed is never given up for it. */
export async function mayStandIn(directory: string): Promise<boolean> {
  // A link may lead to a shared environment that is gone.
  const found = await fs.stat(path.join(directory, '.venv')).catch(() => undefined);
  return found === undefined || (await readMakeshift(directory)) !== undefined;
}

/** `reason`: what uv said. The last line is what to do. */
export function makeshiftWords(
  { python, packages }: Makeshift,
  requirements: readonly string[],
  reason: string,
): string {
  const lent = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const missing = requirements.map((text) => dependencyOf(text).name).filter((name) => !Object.hasOwn(packages, name));
  return [
    'No package index can be reached, so the packages of this notebook could not be installed and nothing was locked.',
    lent.length > 0
      ? `Cells run with Python ${python} and with what the server could lend: ${lent.join(', ')}.`
      : `Cells run with Python ${python} and its standard library.`,
    ...(missing.length > 0 ? [`Missing: ${missing.join(', ')}.`] : []),
    reason.trim(),
    'Sync again when an index can be reached; docs/how-to/offline.md says how to prepare a machine without one.',
  ].join('\n');
}
