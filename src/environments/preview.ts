// What an import would change, before it changes it.
import type { ImportedList } from './importFiles.ts';
import { importedRequirements } from './operations.ts';
import { type Dependency, dependencyOf } from './projectFile.ts';

export interface ImportPreview {
  readonly preview_dependencies: readonly Dependency[];
  readonly normalized_requirements: readonly string[];
  readonly imported_count: number;
  readonly warnings: readonly string[];
  readonly additions: readonly Dependency[];
  readonly removals: readonly Dependency[];
  readonly unchanged: readonly Dependency[];
}

/** A package whose versions or condition change is both removed and added. */
export function previewImport(current: readonly Dependency[], list: ImportedList): ImportPreview {
  const requirements = importedRequirements(list);
  const next = requirements.map(dependencyOf);
  const differs = (others: readonly Dependency[]) => {
    const known = new Set(others.map(identity));
    return (one: Dependency): boolean => !known.has(identity(one));
  };
  const comes = differs(current);
  return {
    preview_dependencies: next,
    normalized_requirements: requirements,
    imported_count: next.length,
    warnings: list.warnings,
    additions: next.filter(comes).sort(byName),
    removals: current.filter(differs(next)).sort(byName),
    unchanged: next.filter((one) => !comes(one)).sort(byName),
  };
}

const identity = ({ name, specifier, condition = '' }: Dependency): string =>
  `${name} ${specifier ?? ''}; ${condition.replaceAll('"', "'")}`;
const byName = (a: Dependency, b: Dependency): number => (a.name < b.name ? -1 : 1);
