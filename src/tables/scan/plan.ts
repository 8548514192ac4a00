// Plans: what a scan reads, in order. A plan depends on a metadata file, which never changes, so plans are kept; only the
// question where the metadata lies now is asked each time. Equal questions at one time are asked once.
import { refusals } from '../../errors/index.ts';
import type { Settings } from '../../settings/index.ts';
import { parseTableAddress, type TableAddress } from '../address.ts';
import {
  catalogNameOf,
  catalogOf,
  type NotebookCatalogs,
  namedCatalogs,
  type TableCatalog,
} from '../catalogs/catalogs.ts';
import type { SqliteCatalogs } from '../catalogs/sqliteCatalog.ts';
import {
  type Asks,
  isTimeout,
  type Located,
  locateTable,
  meaningOf,
  type Planned,
  type PlannedFile,
  planScan,
  type RowGroup,
  type TableReading,
} from '../engine.ts';
import { filtersText, type ScanRequest } from './request.ts';

export interface Task {
  readonly file: PlannedFile;
  readonly group: RowGroup;
}

export interface Plan extends Omit<Planned, 'files' | 'snapshotId'> {
  readonly address: TableAddress;
  /** `catalog.namespace.table`. */
  readonly identity: string;
  readonly request: ScanRequest;
  /** What the reads of its row groups are told. */
  readonly table: TableReading;
  /** The snapshot that is read; null when the table has none. */
  readonly snapshotId: string | null;
  readonly tasks: readonly Task[];
  readonly estimatedBytes: number;
  /** How many rows come; undefined when only reading can tell. */
  readonly rowCount: number | undefined;
}

export interface Planner {
  plan(uri: string, request: ScanRequest): Promise<Plan>;
  /** The address as it will be read; refuses what names no table. */
  address(uri: string): TableAddress;
  stats(): PlannerStats;
  /** Forgets every plan. */
  clear(): number;
}

export interface PlannerStats {
  readonly size: number;
  readonly maxSize: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface PlannerParts {
  readonly settings: Settings;
  readonly engine: () => Asks;
  readonly sqlite: SqliteCatalogs;
  readonly notebookCatalogs?: NotebookCatalogs;
}

const maxPlans = 200;

export function createPlanner({ settings, engine, sqlite, notebookCatalogs = {} }: PlannerParts): Planner {
  const plans = new Map<string, Promise<Plan>>();
  const counts = { hits: 0, misses: 0, evictions: 0 };
  const timeoutMs = settings.planTimeoutSeconds * 1000;
  const names = namedCatalogs(settings, notebookCatalogs);

  async function locate(address: TableAddress, catalog: TableCatalog, signal: AbortSignal): Promise<Located> {
    const { database } = catalog;
    const { namespace, table, uri } = address;
    const found = database && (await sqlite.metadataLocation(database, catalog.name, namespace, table));
    if (found === null) throw refusals.tableAbsent(uri);
    if (typeof found === 'string' && found !== '') return { metadataLocation: found, io: catalog.properties };
    return locateTable(engine(), catalog, namespace, table, { timeoutMs, signal });
  }

  function kept(key: string, make: () => Promise<Plan>): Promise<Plan> {
    const known = plans.get(key);
    if (known) {
      counts.hits += 1;
      plans.delete(key);
      plans.set(key, known);
      return known;
    }
    counts.misses += 1;
    const made = make();
    plans.set(key, made);
    made.catch(() => plans.get(key) === made && plans.delete(key));
    const [oldest] = plans.keys();
    if (plans.size > maxPlans && oldest !== undefined) {
      plans.delete(oldest);
      counts.evictions += 1;
    }
    return made;
  }

  async function plan(uri: string, request: ScanRequest): Promise<Plan> {
    const address = parseTableAddress(uri, names);
    const catalog = catalogOf(address, settings, notebookCatalogs);
    const signal = AbortSignal.timeout(timeoutMs);
    const identity = `${catalogNameOf(address, settings)}.${address.namespace}.${address.table}`;
    const { metadataLocation, io } = await locate(address, catalog, signal);
    const filters = filtersText(request.filters);
    const { columns, snapshotId } = request;
    const table: TableReading = { metadataLocation, io, snapshotId, columns, filters, identity };
    const found = await kept(JSON.stringify([metadataLocation, identity, snapshotId, columns, filters]), async () =>
      assembled(await planScan(engine(), table, settings.maxEqualityDeleteRows, { timeoutMs, signal }), {
        address,
        identity,
        request,
        table,
      }),
    );
    // The same table may be addressed in several ways, and credentials change.
    return { ...found, address, table };
  }

  return {
    address: (uri) => parseTableAddress(uri, names),
    async plan(uri, request) {
      try {
        return await plan(uri, request);
      } catch (error) {
        throw isTimeout(error) ? refusals.planningTimedOut(settings.planTimeoutSeconds) : meaningOf(error, uri);
      }
    },
    stats: () => ({ size: plans.size, maxSize: maxPlans, ...counts }),
    clear() {
      const { size } = plans;
      plans.clear();
      return size;
    },
  };
}

function assembled(
  { files, ...planned }: Planned,
  asked: Pick<Plan, 'address' | 'identity' | 'request' | 'table'>,
): Plan {
  const tasks = files.flatMap((file) => file.rowGroups.map((group) => ({ file, group })));
  const certain = tasks.every(({ file, group }) => group.all && file.positional.length + file.equality.length === 0);
  return {
    ...planned,
    ...asked,
    tasks,
    estimatedBytes: tasks.reduce((sum, { group }) => sum + group.bytes, 0),
    rowCount: certain ? tasks.reduce((sum, { group }) => sum + group.rows, 0) : undefined,
  };
}
