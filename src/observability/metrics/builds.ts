/** What builds did: totals, durations, and counts for each transform, tenant and error code. */
import { createRecentSamples } from '../percentiles.ts';
import { createLedger, type Ledger } from './ledger.ts';

export interface BuildOf {
  readonly transform: string;
  readonly tenant: string;
}

export interface BuildRecorder {
  buildStarted(build: BuildOf & { readonly queueWaitMs: number }): void;
  buildSucceeded(
    build: BuildOf & { readonly durationMs: number; readonly bytesIn: number; readonly bytesOut: number },
  ): void;
  buildFailed(build: BuildOf & { readonly durationMs: number; readonly errorCode: string }): void;
  buildCancelled(build: BuildOf & { readonly durationMs: number }): void;
}

export interface BuildTotals {
  started: number;
  succeeded: number;
  failed: number;
  cancelled: number;
  durationMs: number;
  queueWaitMs: number;
  bytesIn: number;
  bytesOut: number;
}

export interface BuildPercentiles {
  readonly durationP50: number;
  readonly durationP95: number;
  readonly durationP99: number;
  readonly queueWaitP95: number;
}

export interface BuildMetrics {
  readonly record: BuildRecorder;
  readonly totals: Readonly<BuildTotals>;
  readonly byTransform: Ledger<{ started: number; succeeded: number; failed: number }>;
  readonly byTenant: Ledger<{ started: number; bytesOut: number }>;
  readonly byErrorCode: Ledger<{ errors: number }>;
  inFlight(): number;
  /** undefined until a build has finished */
  percentiles(): BuildPercentiles | undefined;
}

const maxTransforms = 500;
const maxTenants = 1000;
const maxErrorCodes = 100;
const durationsKept = 1000;

export function createBuildMetrics(): BuildMetrics {
  const totals: BuildTotals = {
    started: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    durationMs: 0,
    queueWaitMs: 0,
    bytesIn: 0,
    bytesOut: 0,
  };
  const byTransform = createLedger(maxTransforms, () => ({ started: 0, succeeded: 0, failed: 0 }));
  const byTenant = createLedger(maxTenants, () => ({ started: 0, bytesOut: 0 }));
  const byErrorCode = createLedger(maxErrorCodes, () => ({ errors: 0 }));
  const durations = createRecentSamples(durationsKept);
  const queueWaits = createRecentSamples(durationsKept);

  function finished(durationMs: number): void {
    totals.durationMs += durationMs;
    durations.add(durationMs);
  }

  const record: BuildRecorder = {
    buildStarted({ transform, tenant, queueWaitMs }) {
      totals.started += 1;
      totals.queueWaitMs += queueWaitMs;
      queueWaits.add(queueWaitMs);
      byTransform.row(transform).started += 1;
      byTenant.row(tenant).started += 1;
    },
    buildSucceeded({ transform, tenant, durationMs, bytesIn, bytesOut }) {
      totals.succeeded += 1;
      totals.bytesIn += bytesIn;
      totals.bytesOut += bytesOut;
      byTransform.row(transform).succeeded += 1;
      byTenant.row(tenant).bytesOut += bytesOut;
      finished(durationMs);
    },
    buildFailed({ transform, durationMs, errorCode }) {
      totals.failed += 1;
      byTransform.row(transform).failed += 1;
      byErrorCode.row(errorCode).errors += 1;
      finished(durationMs);
    },
    buildCancelled({ durationMs }) {
      totals.cancelled += 1;
      finished(durationMs);
    },
  };

  return {
    record,
    totals,
    byTransform,
    byTenant,
    byErrorCode,
    // A build that another node started may end here; the count of those running here is never negative.
    inFlight: () => Math.max(0, totals.started - totals.succeeded - totals.failed - totals.cancelled),
    percentiles() {
      if (durations.size() === 0) return undefined;
      const [durationP50 = 0, durationP95 = 0, durationP99 = 0] = durations.percentiles(50, 95, 99);
      const [queueWaitP95 = 0] = queueWaits.percentiles(95);
      return { durationP50, durationP95, durationP99, queueWaitP95 };
    },
  };
}
