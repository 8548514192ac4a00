// Which workers a notebook may use: its own, where notebooks may define some, and those of the server's registry.
import type { WorkerDefinition } from './spec.ts';

export interface ServerWorker extends WorkerDefinition {
  readonly enabled: boolean;
}

export interface Catalog {
  /** Whether notebooks may define workers. */
  readonly isEditable: boolean;
  find(own: readonly WorkerDefinition[], name: string): WorkerDefinition | undefined;
  names(own: readonly WorkerDefinition[]): ReadonlySet<string>;
}

export interface CatalogParts {
  readonly isEditable: boolean;
  /** The registry as it is now. */
  readonly registered: () => readonly ServerWorker[];
}

export function createCatalog({ isEditable, registered }: CatalogParts): Catalog {
  const usable = (own: readonly WorkerDefinition[]): readonly WorkerDefinition[] => [
    ...(isEditable ? own : []),
    ...registered().filter(({ enabled }) => enabled),
  ];
  return {
    isEditable,
    find: (own, name) => usable(own).find((worker) => worker.name === name),
    names: (own) => new Set(usable(own).map(({ name }) => name)),
  };
}
