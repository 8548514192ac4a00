// From an address to the catalog that knows the table: which one, under what name, with which properties.
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import type { CatalogProperties, Settings } from '../../settings/index.ts';
import { isObjectStore, type TableAddress } from '../address.ts';
import { withCredential } from './credential.ts';
import { type Properties, storageProperties } from './storage.ts';

export interface TableCatalog {
  readonly name: string;
  /** What the catalog and its files are opened with. Holds secrets: never shown, never logged. */
  readonly properties: Properties;
  /** The SQLite database that the catalog is, where it is one. */
  readonly database: string | undefined;
}

/** Warehouse addresses always read their SQL catalog under this name. */
const warehouseCatalog = 'svc';

export interface NotebookCatalogs {
  readonly [name: string]: CatalogProperties;
}

/** `own` catalogs are those of a notebook, which win over the server's. */
export function catalogOf(address: TableAddress, settings: Settings, own: NotebookCatalogs = {}): TableCatalog {
  const storage = storageProperties(settings);
  if (address.warehouse !== null) return ofWarehouse(address.warehouse, settings, storage);
  if (address.catalog !== null) {
    const properties = own[address.catalog] ?? settings.catalogs[address.catalog] ?? {};
    return opened(address.catalog, { ...storage, ...resolved(address.catalog, properties, settings) });
  }
  const properties = defaultProperties(settings);
  if (Object.keys(properties).length === 0) throw refusals.tableAbsent(address.uri);
  return opened(settings.catalogName, { ...storage, ...properties });
}

export const namedCatalogs = (settings: Settings, own: NotebookCatalogs = {}): ReadonlySet<string> =>
  new Set([...Object.keys(settings.catalogs), ...Object.keys(own)]);

/** The first part of the name under which results know a table. */
export const catalogNameOf = (address: TableAddress, settings: Settings): string =>
  address.warehouse !== null ? warehouseCatalog : (address.catalog ?? settings.catalogName);

function ofWarehouse(warehouse: string, settings: Settings, storage: Properties): TableCatalog {
  const shared = defaultProperties(settings);
  const kind = kindOf(shared);
  if (kind !== 'sql') throw refusals.warehouseNeedsSqlCatalog(kind === 'rest' ? 'REST' : kind);
  const remote = isObjectStore(warehouse);
  if (!remote && !isDirectory(warehouse)) throw refusals.warehouseNotFound(warehouse);
  const uri = shared.uri ?? (remote ? ownDatabase(settings) : `sqlite:///${path.join(warehouse, 'catalog.db')}`);
  const place = remote ? warehouse : `file://${path.resolve(warehouse)}`;
  return opened(warehouseCatalog, { ...storage, ...shared, type: 'sql', uri, warehouse: place });
}

function ownDatabase(settings: Settings): string {
  if (settings.deploymentMode === 'service') throw refusals.warehouseNeedsCatalogUri();
  return `sqlite:///${settings.metadataDb}`;
}

function defaultProperties(settings: Settings): Properties {
  const own = resolved(settings.catalogName, settings.catalogProperties, settings);
  return settings.catalogUri === null ? own : { ...own, uri: settings.catalogUri };
}

const resolved = (name: string, properties: CatalogProperties, settings: Settings): Properties =>
  withCredential(name, properties, settings, (variable) => process.env[variable]);

function kindOf({ type, uri = '' }: Properties): string {
  if (type !== undefined) return type;
  if (uri.startsWith('http')) return 'rest';
  return uri.startsWith('thrift') ? 'hive' : 'sql';
}

function opened(name: string, properties: Properties): TableCatalog {
  const kind = kindOf(properties);
  const database = kind === 'sql' ? /^sqlite:\/\/\/(.+)$/.exec(properties.uri ?? '')?.[1] : undefined;
  return { name, properties: { ...properties, type: kind }, database };
}

const isDirectory = (place: string): boolean => existsSync(place) && statSync(place).isDirectory();
