// From an order for a scan to the run that carries it out.
import { type Artifacts, type ArtifactVersion, transformSpec } from '../../artifacts/index.ts';
import type { Log, Metrics } from '../../observability/index.ts';
import type { Settings } from '../../settings/index.ts';
import type { TableAddress } from '../../tableAddress.ts';
import type { Asks } from '../engine.ts';
import type { Qos } from '../qos/qos.ts';
import type { Planner, ScanPlan } from './plan.ts';
import { tableVersion } from './provenance.ts';
import type { RowGroupReader } from './readRowGroup.ts';
import { createRun, type ScanRun } from './run.ts';

export interface ScanAsker {
  /** Whose results are found and stored: the store's word for a tenant, empty for none. */
  readonly storeTenant: string;
  /** Whose cache and places are used: `_default` for none. */
  readonly tenant: string;
  readonly principal: string | null;
}

export interface ScanOrder extends ScanAsker {
  /** As it was checked. */
  readonly address: TableAddress;
  /** With numbers as they were sent. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly mode: 'stream' | 'artifact';
  readonly name: string | null;
  /** Reads anew even where a result is stored. */
  readonly refresh: boolean;
}

/** Waits for a place among builds; the answer gives it back. */
export type AdmitBuild = (work: {
  readonly pool: string;
  readonly estimatedBytes: number;
  readonly inputs: number;
}) => Promise<() => void>;

export interface ScansParts {
  readonly settings: Settings;
  readonly planner: Planner;
  readonly reader: RowGroupReader;
  readonly readers: () => Asks;
  readonly qos: Qos;
  readonly artifacts: Artifacts | undefined;
  readonly admitBuild: AdmitBuild;
  readonly metrics: Pick<Metrics, 'scanFinished' | 'streamAborted'>;
  readonly onPlanned: (milliseconds: number) => void;
  readonly log: Log;
}

export interface ScanRunWatcher {
  /** Every row was sent to somebody, and is not stored yet. */
  onSent(run: ScanRun): void;
  onEnd(run: ScanRun): void;
}

export async function beginRun(
  parts: ScansParts,
  order: ScanOrder,
  planned: ScanPlan,
  provenance: string,
  watcher: ScanRunWatcher,
): Promise<ScanRun> {
  const { settings, artifacts, metrics } = parts;
  const run = createRun({
    plan: planned,
    version: artifacts && (await beginVersion(artifacts, order, planned, provenance)),
    name: order.name,
    artifacts,
    hasPeers: settings.nodeAdvertisedUrl !== null,
    readers: parts.readers,
    read: (index, signal) => {
      const task = planned.tasks[index];
      if (!task) throw new RangeError(`There is no row group ${index}.`);
      return parts.reader.read(planned, task, order.tenant, signal);
    },
    limits: {
      parallelism: settings.fetchParallelism,
      scanTimeoutSeconds: settings.scanTimeoutSeconds,
      maxBytes: settings.maxResponseBytes,
    },
    log: parts.log,
    onSent: () => watcher.onSent(run),
    onAbort: metrics.streamAborted,
    onEnd(outcome) {
      watcher.onEnd(run);
      if (outcome) scanFinished(metrics, order, planned, outcome);
    },
  });
  return run;
}

export const scanFinished = (
  metrics: ScansParts['metrics'],
  { tenant }: ScanAsker,
  { identity, prunedRowGroups }: ScanPlan,
  { rows, milliseconds }: { readonly rows: number; readonly milliseconds: number },
): void =>
  metrics.scanFinished({
    table: identity,
    tenant,
    latencyMs: milliseconds,
    rowsReturned: rows,
    rowGroupsPruned: prunedRowGroups,
  });

async function beginVersion(
  { versions }: Artifacts,
  order: ScanOrder,
  planned: ScanPlan,
  provenanceHash: string,
): Promise<ArtifactVersion> {
  const { storeTenant: tenant, principal } = order;
  const { uri } = order.address;
  const before = order.refresh ? await versions.ready(tenant, provenanceHash) : undefined;
  return versions.begin({
    id: before?.id ?? null,
    provenanceHash,
    transformSpec: transformSpec({ executor: 'scan@v1', inputs: [uri], params: order.params }),
    inputVersions: JSON.stringify({ [uri]: tableVersion(planned) }),
    tenant,
    principal,
  });
}
