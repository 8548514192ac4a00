// The settings table: every name the programs know, by area, and the type of a complete set of settings. Nothing is
// read here; `load.ts` reads, `refusals/` judges combinations.

import { configKey, environmentName, type Row, type Rows, type ValuesOf } from './row.ts';
import { artifactRows, collectionRows } from './table/artifacts.ts';
import { buildQosRows, transformRows } from './table/builds.ts';
import { identityRows } from './table/identity.ts';
import { adaptiveRows, limitRows, rateLimitRows, scanQosRows } from './table/limits.ts';
import { notebookRows } from './table/notebooks.ts';
import { clientRows, observabilityRows, workerRows } from './table/programs.ts';
import { serverRows } from './table/server.ts';
import { aiRows, credentialRows, mountRows, teamStoreRows } from './table/sharing.ts';
import { storageRows } from './table/storage.ts';
import { cacheRows, catalogRows } from './table/tables.ts';

/** Rows that make up `Settings`. */
export const settingsRows = {
  ...serverRows,
  ...identityRows,
  ...notebookRows,
  ...credentialRows,
  ...mountRows,
  ...teamStoreRows,
  ...aiRows,
  ...artifactRows,
  ...collectionRows,
  ...storageRows,
  ...catalogRows,
  ...cacheRows,
  ...transformRows,
  ...buildQosRows,
  ...limitRows,
  ...scanQosRows,
  ...rateLimitRows,
  ...adaptiveRows,
  ...observabilityRows,
  ...clientRows,
};

export type Settings = ValuesOf<typeof settingsRows>;
export type SettingKey = keyof Settings;

const AREAS: readonly (readonly [string, Rows])[] = [
  ['Server', serverRows],
  ['Authentication, tenants and access rules', identityRows],
  ['Notebooks', notebookRows],
  ['Named credentials', credentialRows],
  ['Mount cache', mountRows],
  ['Team store', teamStoreRows],
  ['AI for prompt cells', aiRows],
  ['Artifact store', artifactRows],
  ['Collection of unused artifacts', collectionRows],
  ['Object storage', storageRows],
  ['Catalogs', catalogRows],
  ['Table cache', cacheRows],
  ['Transforms and builds', transformRows],
  ['Build slots', buildQosRows],
  ['Limits', limitRows],
  ['Scan slots', scanQosRows],
  ['Rate limits', rateLimitRows],
  ['Adaptive scan slots', adaptiveRows],
  ['Observability', observabilityRows],
  ['Client programs', clientRows],
  ['Worker', workerRows],
];

/** A row with its names, as listings and documentation need it. */
export interface SettingEntry {
  readonly key: string;
  readonly area: string;
  readonly environmentName: string;
  readonly configKey: string;
  readonly row: Row<unknown>;
}

export const settingsTable: readonly SettingEntry[] = AREAS.flatMap(([area, rows]) =>
  Object.entries(rows).map(([key, row]) => ({
    key,
    area,
    environmentName: environmentName(key, row),
    configKey: configKey(key),
    row,
  })),
);
