// Writes a requirement into a notebook's project and resolves it. uv would also write down which index the operator's
// settings name, so it is told to take requirements as they stand; the version that it would have added is added here.
import path from 'node:path';
import type { Addition } from './backend.ts';
import { readIfThere } from './files.ts';
import { parseLock } from './lockKey.ts';
import { dependencyOf, readProject } from './projectFile.ts';
import { withLowerBound } from './requirement.ts';

type Call = (args: readonly string[], shown: readonly string[]) => Promise<unknown>;

export async function declare(directory: string, addition: Addition, call: Call): Promise<void> {
  const add = (requirement: string) =>
    call(
      ['add', '--raw', '--no-sync', ...(addition.forTests ? ['--dev'] : []), '--', requirement],
      ['add', requirement],
    );
  await add(addition.requirement);
  const version = await newlyChosen(directory, addition);
  if (version !== undefined) await add(withLowerBound(addition.requirement, version));
}

/** The version that was chosen for a package of which the project says none; tools for tests are held by the lock alone. */
async function newlyChosen(directory: string, { requirement, forTests }: Addition): Promise<string | undefined> {
  const { name, specifier } = dependencyOf(requirement);
  if (specifier !== null || forTests) return;
  const declared = (await readProject(directory)).requirements.map(dependencyOf);
  if (!declared.some((one) => one.name === name && one.specifier === null)) return;
  const lock = await readIfThere(path.join(directory, 'uv.lock'));
  const chosen = lock ? parseLock(lock.toString('utf8')).packages.filter((one) => one.name === name) : [];
  const [version, ...others] = new Set(chosen.map((one) => one.version));
  return typeof version === 'string' && others.length === 0 ? version : undefined;
}
