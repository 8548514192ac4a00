// From an address to the catalog that knows the table: which one, under what name, with which properties. Named catalogs and
// credentials may be replaced while the server runs, so they are looked up at each use.
import { statSync } from 'node:fs';
import path from 'node:path';
import { CredentialRefused, type Credentials } from '../../credentials/index.ts';
import { refusals } from '../../errors/index.ts';
import type { CatalogProperties, Settings } from '../../settings/index.ts';
import { isObjectStore, parseTableAddress, type TableAddress } from '../../tableAddress.ts';
import { type Properties, storageProperties } from './storage.ts';

export interface TableCatalog {
  readonly name: string;
  /** What the catalog and its files are opened with. Holds secrets: never shown, never logged. */
  readonly properties: Properties;
  /** The SQLite database that the catalog is, where it is one. */
  readonly database: string | undefined;
}

export interface Catalogs {
  /** Refuses what names no table. */
  address(uri: string): TableAddress;
  of(address: TableAddress): TableCatalog;
  /** Refuses an address in an object store that this server has no catalog for, whatever lies there. */
  checkStore(address: TableAddress): void;
  /** The first part of the name under which results know a table. */
  nameFor(address: TableAddress): string;
}

/** Warehouse addresses always read their SQL catalog under this name. */
const warehouseCatalog = 'svc';

export function createCatalogs(settings: Settings, credentials: Pick<Credentials, 'catalogs' | 'fieldsOf'>): Catalogs {
  const storage = storageProperties(settings);

  /** A catalog's properties with those of its credential beneath them. */
  function resolved(name: string, { svc_credential: named, ...own }: CatalogProperties): Properties {
    if (named === undefined) return texts(own);
    try {
      return { ...credentials.fieldsOf(String(named)), ...texts(own) };
    } catch (error) {
      throw error instanceof CredentialRefused ? refusals.catalogCredentialUnusable(name, error.message) : error;
    }
  }

  function defaultProperties(): Properties {
    const own = resolved(settings.catalogName, settings.catalogProperties);
    return settings.catalogUri === null ? own : { ...own, uri: settings.catalogUri };
  }

  function ofWarehouse(warehouse: string): TableCatalog {
    const shared = defaultProperties();
    const kind = kindOf(shared);
    if (kind !== 'sql') throw refusals.warehouseNeedsSqlCatalog(kind === 'rest' ? 'REST' : kind);
    const remote = isObjectStore(warehouse);
    if (!remote && !isDirectory(warehouse)) throw refusals.warehouseNotFound(warehouse);
    const uri = shared.uri ?? (remote ? ownDatabase(settings) : `sqlite:///${path.join(warehouse, 'catalog.db')}`);
    const place = remote ? warehouse : `file://${path.resolve(warehouse)}`;
    return opened(warehouseCatalog, { ...storage, ...shared, type: 'sql', uri, warehouse: place });
  }

  return {
    address: (uri) => parseTableAddress(uri, new Set(Object.keys(credentials.catalogs()))),
    of({ uri, warehouse, catalog }) {
      if (warehouse !== null) return ofWarehouse(warehouse);
      if (catalog !== null)
        return opened(catalog, { ...storage, ...resolved(catalog, credentials.catalogs()[catalog] ?? {}) });
      const properties = defaultProperties();
      if (Object.keys(properties).length === 0) throw refusals.tableAbsent(uri);
      return opened(settings.catalogName, { ...storage, ...properties });
    },
    checkStore({ warehouse }) {
      if (warehouse !== null && isObjectStore(warehouse)) ofWarehouse(warehouse);
    },
    nameFor: ({ warehouse, catalog }) => (warehouse === null ? (catalog ?? settings.catalogName) : warehouseCatalog),
  };
}

function ownDatabase({ deploymentMode, metadataDb }: Settings): string {
  if (deploymentMode === 'service') throw refusals.warehouseNeedsCatalogUri();
  return `sqlite:///${metadataDb}`;
}

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

/** What no folder can be called, or is out of reach, is not there. */
function isDirectory(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

const texts = (properties: CatalogProperties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)]));
