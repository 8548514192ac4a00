// Installed packages that a run could have noticed: a result outlives changes of all others.
import type { RunResult } from '../../runtimes/index.ts';

/** Undefined where nobody knows: programs look for what they like, and on a worker other packages are installed. */
export const packagesOf = ({
  packages,
  effects,
  remote,
}: Pick<RunResult, 'packages' | 'effects' | 'remote'>): string | undefined =>
  effects === undefined || effects.programs.length > 0 || remote ? undefined : packages;

/** Of a result that several runs make up. */
export function packagesOfAll(parts: readonly (string | undefined)[]): string | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return [...new Set(known.flatMap((part) => part.split(' ')))].sort().join(' ');
}
