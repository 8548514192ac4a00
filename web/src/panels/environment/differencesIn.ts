// What an import adds, changes and removes. The server tells of a package whose versions change as removed and added.
import type { Dependency, ImportPreview } from '../../api/index.ts';

export interface Differences {
  readonly added: readonly Dependency[];
  readonly changed: readonly (readonly [before: Dependency, after: Dependency])[];
  readonly removed: readonly Dependency[];
}

export function differencesIn({ additions, removals }: Pick<ImportPreview, 'additions' | 'removals'>): Differences {
  const removed = [...removals];
  const added: Dependency[] = [];
  const changed: (readonly [Dependency, Dependency])[] = [];
  for (const one of additions) {
    // Under conditions a package may stand there several times.
    const at = removed.findIndex(({ name }) => name === one.name);
    const [before] = at < 0 ? [] : removed.splice(at, 1);
    if (before) changed.push([before, one]);
    else added.push(one);
  }
  return { added, changed, removed };
}
