// Results that read files of the notebook's folder, in the team's store: under the key of their source and inputs lies which files
// were read, and the values lie under the key that holds what was in them. Whoever has the same files finds the same result.
import path from 'node:path';
import { z } from 'zod';
import type { FilePrints } from '../../files/index.ts';
import { observedKey, type ReadFiles, readInOrder } from './readFiles.ts';
import type { KeptResult } from './results.ts';

export const readsLabel = '__reads__';

const isInside = (name: string): boolean => !path.isAbsolute(name) && !path.normalize(name).startsWith('..');

const maxFiles = 1000;
export const readsSchema = z.object({ files: z.array(z.string().min(1).refine(isInside)).min(1).max(maxFiles) });

/** By content: what counts by size and time is another file on another machine. */
const isComparable = (files: ReadFiles): boolean =>
  Object.entries(files).every(([name, { print }]) => isInside(name) && /^(?:[0-9a-f]{64}|missing)$/.test(print));

/** Whether others may find the result: all that it depends on is in its key, and finding it does what running it did. */
export function isForOthers({ key, baseKey, files = {}, effects }: KeptResult): boolean {
  if (baseKey !== undefined && observedKey(baseKey, { files }) !== key) return false;
  if (effects && (effects.unwatched > 0 || effects.written.length > 0)) return false;
  if (effects?.worker !== undefined && effects.read.length + effects.listed.length > 0) return false;
  return Object.keys(files).length <= maxFiles && isComparable(files);
}

/** What these files hold here; undefined when that cannot be compared with what others have. */
export async function ownReads(
  names: readonly string[],
  directory: string,
  prints: FilePrints,
): Promise<ReadFiles | undefined> {
  const found = await Promise.all(
    names.map(async (name) => [name, await prints.of(path.resolve(directory, name))] as const),
  );
  const files = readInOrder(found);
  return isComparable(files) ? files : undefined;
}
