// Writes requirements into a notebook's project and resolves them. uv would also write down which index the operator's
// settings name, so it is told to take requirements as they stand; the versions that it would have added are added here.
import path from 'node:path';
import type { Addition } from './backend.ts';
import { readIfThere } from './files.ts';
import { parseLock } from './lockKey.ts';
import { dependencyOf, readProject } from './projectFile.ts';
import { withLowerBound } from './requirement.ts';

type Call = (args: readonly string[], shown: readonly string[]) => Promise<unknown>;

export async function declare(directory: string, addition: Addition, call: Call): Promise<void> {
  const add = (requirements: readonly string[]) =>
    call(
      ['add', '--raw', '--no-sync', ...(addition.forTests ? ['--dev'] : []), '--', ...requirements],
      ['add', ...requirements],
    );
  await add(addition.requirements);
  const bounded = await withNewBounds(directory, addition);
  if (bounded.length > 0) await add(bounded);
}

/** Those of which the project says no version, with the one that was chosen; tools for tests are held by the lock alone. */
async function withNewBounds(directory: string, { requirements, forTests }: Addition): Promise<string[]> {
  const open = requirements.filter((requirement) => dependencyOf(requirement).specifier === null);
  if (open.length === 0 || forTests) return [];
  const declared = (await readProject(directory)).requirements.map(dependencyOf);
  const lock = await readIfThere(path.join(directory, 'uv.lock'));
  const packages = lock ? parseLock(lock.toString('utf8')).packages : [];
  return open.flatMap((requirement) => {
    const { name } = dependencyOf(requirement);
    if (!declared.some((one) => one.name === name && one.specifier === null)) return [];
    const [version, ...others] = new Set(packages.filter((one) => one.name === name).map((one) => one.version));
    return typeof version === 'string' && others.length === 0 ? [withLowerBound(requirement, version)] : [];
  });
}
