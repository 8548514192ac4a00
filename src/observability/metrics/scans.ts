/** What scans and the row-group cache did: totals, and the same for each table and each tenant. */
import type { TableMetrics, TenantMetrics } from '../../protocol/index.ts';
import { createRecentSamples } from '../percentiles.ts';
import { createLedger } from './ledger.ts';

export interface ScanOf {
  readonly table: string;
  readonly tenant: string;
}

export interface ScanRecorder {
  /** A row group came from the cache. */
  cacheHit(read: ScanOf & { readonly bytes: number }): void;
  /** A row group had to be read from storage. */
  cacheMiss(read: ScanOf & { readonly bytes: number; readonly rows: number }): void;
  cacheWritten(written: { readonly bytes: number }): void;
  /** One sweep of the cache that removed something. */
  cacheEvicted(sweep: { readonly files: number; readonly bytes: number }): void;
  /** Hits of whole results count too. */
  scanFinished(
    scan: ScanOf & { readonly latencyMs: number; readonly rowsReturned: number; readonly rowGroupsPruned: number },
  ): void;
  streamAborted(reason: 'timeout' | 'size'): void;
  clientDisconnected(): void;
  /** Every prefetch that was started ends as used or wasted; one that was not worth starting is skipped. */
  prefetch(step: 'started' | 'used' | 'wasted' | 'skipped'): void;
  /** The tenant gets a row, with zeros until it scans. */
  tenantSeen(tenant: string): void;
}

export interface ScanTotals {
  scans: number;
  fetches: number;
  rowsFetched: number;
  hits: number;
  misses: number;
  bytesFromCache: number;
  bytesFromStorage: number;
  bytesWritten: number;
  rowsReturned: number;
  rowGroupsPruned: number;
  abortsTimeout: number;
  abortsSize: number;
  disconnects: number;
  evictionSweeps: number;
  filesEvicted: number;
  bytesEvicted: number;
  prefetch: { started: number; used: number; wasted: number; skipped: number };
}

export interface ScanMetrics {
  readonly record: ScanRecorder;
  totals(): Readonly<ScanTotals>;
  tables(): TableMetrics[];
  table(id: string): TableMetrics | undefined;
  tenants(): TenantMetrics[];
  tenant(id: string): TenantMetrics | undefined;
  reset(): void;
}

const maxTables = 1000;
const maxTenants = 1000;
const latenciesKept = 200;

export function createScanMetrics(): ScanMetrics {
  let totals = zeroTotals();
  const tables = createLedger(maxTables, createTableRow);
  const tenants = createLedger(maxTenants, createUse);
  const usesOf = (scan: ScanOf): Use[] => [tables.row(scan.table), tenants.row(scan.tenant)];

  const record: ScanRecorder = {
    cacheHit({ bytes, ...scan }) {
      for (const use of [totals, ...usesOf(scan)]) {
        use.hits += 1;
        use.bytesFromCache += bytes;
      }
    },
    cacheMiss({ bytes, rows, ...scan }) {
      totals.fetches += 1;
      totals.rowsFetched += rows;
      for (const use of [totals, ...usesOf(scan)]) {
        use.misses += 1;
        use.bytesFromStorage += bytes;
      }
    },
    cacheWritten({ bytes }) {
      totals.bytesWritten += bytes;
    },
    cacheEvicted({ files, bytes }) {
      totals.evictionSweeps += 1;
      totals.filesEvicted += files;
      totals.bytesEvicted += bytes;
    },
    scanFinished({ latencyMs, rowsReturned, rowGroupsPruned, ...scan }) {
      for (const use of [totals, ...usesOf(scan)]) {
        use.scans += 1;
        use.rowsReturned += rowsReturned;
        use.rowGroupsPruned += rowGroupsPruned;
      }
      const table = tables.row(scan.table);
      table.totalLatencyMs += latencyMs;
      table.latencies.add(latencyMs);
    },
    streamAborted(reason) {
      if (reason === 'timeout') totals.abortsTimeout += 1;
      else totals.abortsSize += 1;
    },
    clientDisconnected() {
      totals.disconnects += 1;
    },
    prefetch(step) {
      totals.prefetch[step] += 1;
    },
    tenantSeen(tenant) {
      tenants.row(tenant);
    },
  };

  return {
    record,
    totals: () => totals,
    tables: () => tables.entries().map(([id, row]) => describeTable(id, row)),
    table(id) {
      const row = tables.find(id);
      return row && describeTable(id, row);
    },
    tenants: () => tenants.entries().map(([id, use]) => describeTenant(id, use)),
    tenant(id) {
      const use = tenants.find(id);
      return use && describeTenant(id, use);
    },
    reset() {
      totals = zeroTotals();
      tables.clear();
      tenants.clear();
    },
  };
}

export function hitRate({ hits, misses }: { readonly hits: number; readonly misses: number }): number {
  return hits + misses === 0 ? 0 : hits / (hits + misses);
}

type Use = Pick<
  ScanTotals,
  'scans' | 'hits' | 'misses' | 'bytesFromCache' | 'bytesFromStorage' | 'rowsReturned' | 'rowGroupsPruned'
>;

function createUse(): Use {
  return {
    scans: 0,
    hits: 0,
    misses: 0,
    bytesFromCache: 0,
    bytesFromStorage: 0,
    rowsReturned: 0,
    rowGroupsPruned: 0,
  };
}

function createTableRow() {
  return { ...createUse(), totalLatencyMs: 0, latencies: createRecentSamples(latenciesKept) };
}

function zeroTotals(): ScanTotals {
  return {
    ...createUse(),
    fetches: 0,
    rowsFetched: 0,
    bytesWritten: 0,
    abortsTimeout: 0,
    abortsSize: 0,
    disconnects: 0,
    evictionSweeps: 0,
    filesEvicted: 0,
    bytesEvicted: 0,
    prefetch: { started: 0, used: 0, wasted: 0, skipped: 0 },
  };
}

function describeTable(id: string, row: ReturnType<typeof createTableRow>): TableMetrics {
  const [p50_ms = 0, p95_ms = 0, p99_ms = 0] = row.latencies.percentiles(50, 95, 99);
  return {
    table_id: id,
    scan_count: row.scans,
    avg_latency_ms: row.scans === 0 ? 0 : row.totalLatencyMs / row.scans,
    cache_hit_rate: hitRate(row),
    cache_hits: row.hits,
    cache_misses: row.misses,
    bytes_from_cache: row.bytesFromCache,
    bytes_from_storage: row.bytesFromStorage,
    rows_returned: row.rowsReturned,
    row_groups_pruned: row.rowGroupsPruned,
    p50_ms,
    p95_ms,
    p99_ms,
  };
}

function describeTenant(id: string, use: Use): TenantMetrics {
  return {
    tenant_id: id,
    total_scans: use.scans,
    cache_hits: use.hits,
    cache_misses: use.misses,
    cache_hit_rate: hitRate(use),
    bytes_from_cache: use.bytesFromCache,
    bytes_from_storage: use.bytesFromStorage,
    rows_returned: use.rowsReturned,
  };
}
