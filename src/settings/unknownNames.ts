// Warnings about what was written but is not read: mistyped names, and names in a place where they do not count.

import type { Environment } from './given.ts';
import type { ProjectSection } from './projectFile.ts';
import { didYouMean } from './suggest.ts';
import { settingsTable } from './table.ts';

export function unknownNameWarnings(env: Environment, project: ProjectSection): string[] {
  return [...unknownVariables(env), ...unreadProjectKeys(project)];
}

function unknownVariables(env: Environment): string[] {
  const known = new Set(settingsTable.map((entry) => entry.environmentName));
  return Object.keys(env)
    .filter((name) => name.startsWith('SVC_') && !known.has(name))
    .sort()
    .map((name) => `${name} is not a setting and is ignored${didYouMean(name, known)}`);
}

function unreadProjectKeys({ values, path }: ProjectSection): string[] {
  const environmentNames = new Map<string, string>();
  const known = new Set<string>();
  for (const { row, configKey, environmentName } of settingsTable) {
    if (row.environmentOnly) environmentNames.set(configKey, environmentName);
    else known.add(configKey);
    if (row.block !== null) known.add(row.block);
  }
  return Object.keys(values)
    .filter((key) => !known.has(key))
    .map((key) => {
      const environmentName = environmentNames.get(key);
      return environmentName === undefined
        ? `${key} in ${path} is not a setting and is ignored${didYouMean(key, known)}`
        : `${key} in ${path} is ignored: set ${environmentName} in the environment instead`;
    });
}
