// Plans: what a scan reads, in order. A plan depends on a metadata file, which never changes, so plans are kept; only the
// question where the metadata lies now is asked each time. Equal questions at one time are asked once.
import { refusals } from '../../errors/index.ts';
import { createFairLine } from '../../limits/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { TableAddress } from '../../tableAddress.ts';
import type { Catalogs, TableCatalog } from '../catalogs/catalogs.ts';
import type { SqliteCatalogs } from '../catalogs/sqliteCatalog.ts';
import {
  type Asks,
  isTimeout,
  type Limits,
  type Located,
  locateTable,
  meaningOf,
  type Planned,
  type PlannedFile,
  planScan,
  type RowGroup,
  type TableReading,
} from '../engine.ts';
import { createKept, type KeptStats } from './kept.ts';
import { scanProvenance } from './provenance.ts';
import { filtersText, type ScanRequest } from './request.ts';

export interface Task {
  readonly file: PlannedFile;
  readonly group: RowGroup;
}

export interface ScanPlan extends Omit<Planned, 'files' | 'snapshotId' | 'footers'> {
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
  /** The key of its result; undefined for a table without snapshots, whose results are never found again. */
  readonly provenance: string | undefined;
}

export interface Planner {
  /** `tenant`: who has to be served in turn with others where many plans are asked for. */
  plan(address: TableAddress, request: ScanRequest, tenant: string): Promise<ScanPlan>;
  /** The address as it will be read; refuses what names no table. */
  address(uri: string): TableAddress;
  /** Refuses what no catalog of this server could ever find. */
  checkStore(address: TableAddress): void;
  stats(): { readonly unfiltered: KeptStats; readonly filtered: KeptStats; readonly footers: KeptStats };
  /** Plans that were asked for, and those that are being made. */
  work(): { readonly submitted: number; readonly busy: number; readonly waiting: number };
  /** Forgets every plan. */
  clear(): number;
}

export interface PlannerParts {
  readonly settings: Settings;
  readonly engine: () => Asks;
  readonly sqlite: SqliteCatalogs;
  readonly catalogs: Catalogs;
  /** A plan has to be made: what it finds will be read soon. */
  readonly onUnknown: () => void;
}

/** So many are with the process that makes plans: one that it works on, and one that it need not wait for. */
const atOnce = 2;

/** Of each kind together: some twenty plans of ten thousand row groups, or all there may be of small tables. */
const maxPlanBytes = 32 * 1024 * 1024;

/** Who asks, and for how long they wait. */
interface Asker {
  readonly tenant: string;
  limits(): Limits & { readonly signal: AbortSignal };
}

export function createPlanner({ settings, engine, sqlite, catalogs, onUnknown }: PlannerParts): Planner {
  const kept = {
    unfiltered: createKept<ScanPlan>({ maxSize: 100, maxBytes: maxPlanBytes, bytesOf }),
    filtered: createKept<ScanPlan>({ maxSize: 200, maxBytes: maxPlanBytes, bytesOf }),
  };
  const line = createFairLine(atOnce);
  let submitted = 0;
  let active = 0;
  let footers: KeptStats = { size: 0, maxSize: 0, hits: 0, misses: 0, evictions: 0 };
  const timeoutMs = settings.planTimeoutSeconds * 1000;

  async function locate(address: TableAddress, catalog: TableCatalog, asker: Asker): Promise<Located> {
    const { database } = catalog;
    const { namespace, table, uri } = address;
    const found = database && (await sqlite.metadataLocation(database, catalog.name, namespace, table));
    if (found === null) throw refusals.tableAbsent(uri);
    if (typeof found === 'string' && found !== '') return { metadataLocation: found, io: catalog.properties };
    const limits = asker.limits();
    return line.run(asker.tenant, () => locateTable(engine(), catalog, namespace, table, limits), limits.signal);
  }

  async function plan(address: TableAddress, request: ScanRequest, tenant: string): Promise<ScanPlan> {
    const catalog = catalogs.of(address);
    // Only who asks a process needs a limit: most plans are known.
    let signal: AbortSignal | undefined;
    const limits = () => {
      signal ??= AbortSignal.timeout(timeoutMs);
      return { timeoutMs, signal };
    };
    const identity = `${catalogs.nameFor(address)}.${address.namespace}.${address.table}`;
    const { metadataLocation, io } = await locate(address, catalog, { tenant, limits });
    const filters = filtersText(request.filters);
    const { columns, snapshotId } = request;
    const table: TableReading = { metadataLocation, io, snapshotId, columns, filters, identity };
    const plans = request.filters.length === 0 ? kept.unfiltered : kept.filtered;
    const found = await plans.get(
      JSON.stringify([metadataLocation, identity, snapshotId, columns, filters]),
      async () => {
        onUnknown();
        const within = limits();
        const ask = () => planScan(engine(), table, settings.maxEqualityDeleteRows, within);
        const planned = await line.run(tenant, ask, within.signal);
        footers = planned.footers;
        return assembled(planned, { address, identity, request, table });
      },
    );
    // The same table may be addressed in several ways, and credentials change.
    return { ...found, address, table };
  }

  return {
    address: catalogs.address,
    checkStore: catalogs.checkStore,
    async plan(address, request, tenant) {
      submitted += 1;
      active += 1;
      try {
        return await plan(address, request, tenant);
      } catch (error) {
        throw isTimeout(error) ? refusals.planningTimedOut(settings.planTimeoutSeconds) : meaningOf(error, address.uri);
      } finally {
        active -= 1;
      }
    },
    work: () => ({ submitted, busy: Math.min(active, 1), waiting: Math.max(0, active - 1) }),
    stats: () => ({ unfiltered: kept.unfiltered.stats(), filtered: kept.filtered.stats(), footers }),
    clear: () => kept.unfiltered.clear() + kept.filtered.clear(),
  };
}

/** About what a plan takes in memory. */
function bytesOf({ tasks, schemaMessage, schemaText, request }: ScanPlan): number {
  let bytes = 1000 + schemaMessage.length + schemaText.length + filtersText(request.filters).length;
  let last: PlannedFile | undefined;
  for (const { file } of tasks) {
    bytes += bytesOfTask;
    if (file !== last) bytes += bytesOfFile(file);
    last = file;
  }
  return bytes;
}

const bytesOfTask = 120;

function bytesOfFile({ path, constants, positional, equality }: PlannedFile): number {
  let bytes = 200 + path.length;
  for (const [name, value] of Object.entries(constants)) bytes += 50 + name.length + value.length;
  for (const deletes of positional) bytes += 20 + deletes.length;
  for (const deletes of equality) bytes += 100 + deletes.path.length + 8 * deletes.keys.length;
  return bytes;
}

function assembled(
  { files, footers: _footers, ...planned }: Planned,
  asked: Pick<ScanPlan, 'address' | 'identity' | 'request' | 'table'>,
): ScanPlan {
  const tasks = files.flatMap((file) => file.rowGroups.map((group) => ({ file, group })));
  const certain = tasks.every(({ file, group }) => group.all && file.positional.length + file.equality.length === 0);
  const { snapshotId } = planned;
  const { columns, filters } = asked.request;
  return {
    ...planned,
    ...asked,
    provenance:
      snapshotId === null
        ? undefined
        : scanProvenance({ ...planned, snapshotId, identity: asked.identity, columns, filters }),
    tasks,
    estimatedBytes: tasks.reduce((sum, { group }) => sum + group.bytes, 0),
    rowCount: certain ? tasks.reduce((sum, { group }) => sum + group.rows, 0) : undefined,
  };
}
