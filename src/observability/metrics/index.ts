/**
 * Metrics of the server. Rooms report events through the recording functions and hand over live values as sources;
 * the JSON body, the Prometheus text and the rows of tables and tenants are all made from that one state.
 */
import type { MetricsBody, TableMetrics, TenantMetrics } from '../../protocol/index.ts';
import { type AiCall, createAiUsage } from './aiUsage.ts';
import { metricsBody } from './body.ts';
import { type BuildRecorder, createBuildMetrics } from './builds.ts';
import type { Family } from './families.ts';
import { idleSources, type LiveSources, type ReportedLimits } from './liveSources.ts';
import { printFamilies, type Scrape } from './prometheus.ts';
import { cacheFamilies, metadataFamilies, scanFamilies, tableAndTenantFamilies } from './scanFamilies.ts';
import { createScanMetrics, type ScanRecorder } from './scans.ts';
import { gcFamilies, limitFamilies, processFamilies, qosFamilies } from './serverFamilies.ts';
import { aiFamilies, buildFamilies } from './workFamilies.ts';

export type { AiCall } from './aiUsage.ts';
export type { BuildOf, BuildRecorder } from './builds.ts';
export type { DiskCacheState, LiveSources, MetadataState, ReportedLimits } from './liveSources.ts';
export type { Scrape } from './prometheus.ts';
export type { ScanOf, ScanRecorder } from './scans.ts';

export interface Metrics extends ScanRecorder, BuildRecorder {
  aiCall(call: AiCall): void;
  /** Takes over the named sources; a later one replaces an earlier. */
  provide(sources: Partial<LiveSources>): void;
  json(): MetricsBody;
  prometheus(): Promise<Scrape>;
  tables(): TableMetrics[];
  table(id: string): TableMetrics | undefined;
  tenants(): TenantMetrics[];
  tenant(id: string): TenantMetrics | undefined;
  /** Scans, cache, tables and tenants begin again at zero, as after the cache is cleared. */
  resetScans(): void;
}

export interface MetricsOptions {
  /** True when callers have identities: then nothing open to all names a table, a tenant or a principal. */
  readonly principalAuth: boolean;
  readonly limits: ReportedLimits;
}

export function createMetrics({ principalAuth, limits }: MetricsOptions): Metrics {
  const scans = createScanMetrics();
  const builds = createBuildMetrics();
  const ai = createAiUsage({ principalAuth });
  let live = idleSources(limits);

  function families(): Family[] {
    const totals = scans.totals();
    return [
      ...scanFamilies(totals),
      ...cacheFamilies(totals, live.diskCache()),
      ...metadataFamilies(live.metadata()),
      ...qosFamilies(live, limits),
      ...limitFamilies(live, limits),
      ...processFamilies(live),
      ...gcFamilies(live),
      ...buildFamilies(builds, { principalAuth }),
      ...aiFamilies(ai),
      ...(principalAuth ? [] : tableAndTenantFamilies(scans)),
    ];
  }

  return {
    ...scans.record,
    ...builds.record,
    aiCall: ai.record,
    provide(sources) {
      live = { ...live, ...sources };
    },
    json: () => metricsBody({ totals: scans.totals(), live, limits, principalAuth }),
    prometheus: () => printFamilies(families()),
    tables: scans.tables,
    table: scans.table,
    tenants: scans.tenants,
    tenant: scans.tenant,
    resetScans: scans.reset,
  };
}
