// What an import adds, changes and removes. The server tells of a package whose versions change as removed and added.
import type { Dependency, ImportPreview } from '../../api/index.ts';

export interface Differences {
  readonly added: readonly Dependency[];
  readonly changed: readonly (readonly [before: Dependency, after: Dependency])[];
  readonly removed: readonly Dependency[];
}

export function differencesIn({ additions, removals }: Pick<ImportPreview, 'additions' | 'removals'>): Differences {
  const before = new Map(removals.map((one) => [one.name, one]));
  const after = new Set(additions.map(({ name }) => name));
  return {
    added: additions.filter(({ name }) => !before.has(name)),
    changed: additions.flatMap((one) => {
      const old = before.get(one.name);
      return old ? [[old, one] as const] : [];
    }),
    removed: removals.filter(({ name }) => !after.has(name)),
  };
}
