/**
 * Readiness and dependency reports, from state and probes that the composition root supplies. Probes run together,
 * each under its own time bound; one that throws or is late is reported with its message and never fails the report.
 */
import type { DependenciesBody, DependencyCheck, DependencyStatus, ReadinessBody } from '../protocol/index.ts';
import { redactText } from './redact.ts';

export interface HealthAnswer<Body> {
  readonly statusCode: 200 | 503;
  readonly body: Body;
}

/** Fails by throwing. The signal aborts when its time is over. */
export type StoreProbe = (signal: AbortSignal) => Promise<unknown> | unknown;

export interface ReadinessState {
  readonly draining: boolean;
  readonly serverInitialized: boolean;
  readonly interactiveSaturatedSeconds: number;
  readonly bulkSaturatedSeconds: number;
  readonly interactiveAvailable: number;
  readonly bulkAvailable: number;
  readonly activeScans: number;
  readonly droppedLogs: number;
}

export interface ReadinessProbes {
  /** Left out where the deployment has no such store. */
  readonly metadataStore?: StoreProbe | undefined;
  readonly artifactStore?: StoreProbe | undefined;
  readonly timeoutMs?: number;
}

const defaultTimeoutMs = 2000;
const saturationLimitSeconds = 30;

export async function readiness(state: ReadinessState, probes: ReadinessProbes): Promise<HealthAnswer<ReadinessBody>> {
  const timeoutMs = probes.timeoutMs ?? defaultTimeoutMs;
  const [metadata, artifacts] = await Promise.all([
    probeStore(probes.metadataStore, timeoutMs),
    probeStore(probes.artifactStore, timeoutMs),
  ]);
  const capacityExhausted =
    state.interactiveSaturatedSeconds > saturationLimitSeconds && state.bulkSaturatedSeconds > saturationLimitSeconds;

  const issues: string[] = [];
  if (state.draining) issues.push('server is draining');
  if (!state.serverInitialized) issues.push('server is still starting');
  if (capacityExhausted) issues.push(`both scan tiers saturated for more than ${saturationLimitSeconds} s`);
  const ready = issues.length === 0;
  if (metadata.error !== undefined) issues.push(`metadata_store: ${metadata.error}`);
  if (artifacts.error !== undefined) issues.push(`artifact_store: ${artifacts.error}`);

  return {
    statusCode: issues.length === 0 ? 200 : 503,
    body: {
      status: issues.length === 0 ? 'ready' : 'not_ready',
      checks: {
        draining: state.draining,
        interactive_saturated_seconds: state.interactiveSaturatedSeconds,
        bulk_saturated_seconds: state.bulkSaturatedSeconds,
        capacity_exhausted: capacityExhausted,
        dropped_logs: state.droppedLogs,
        ready,
        server_initialized: state.serverInitialized,
        metadata_store: metadata.ok,
        artifact_store: artifacts.ok,
        interactive_available: state.interactiveAvailable,
        bulk_available: state.bulkAvailable,
        active_scans: state.activeScans,
        ...(issues.length > 0 ? { issues } : {}),
        ...(metadata.error === undefined ? {} : { metadata_store_error: metadata.error }),
        ...(artifacts.error === undefined ? {} : { artifact_store_error: artifacts.error }),
      },
    },
  };
}

export interface DependencyReport {
  readonly status: DependencyStatus;
  readonly message?: string;
  readonly details: Record<string, unknown>;
}

export interface DependencyProbe {
  readonly name: string;
  readonly timeoutMs?: number;
  check(signal: AbortSignal): Promise<DependencyReport> | DependencyReport;
}

export interface DependencyClocks {
  /** Epoch seconds. */
  readonly now?: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
}

/** Checks are answered in the order of the probes. */
export async function dependencies(
  probes: readonly DependencyProbe[],
  version: string,
  { now = () => Date.now() / 1000, elapsed = () => performance.now() }: DependencyClocks = {},
): Promise<HealthAnswer<DependenciesBody>> {
  const checks = await Promise.all(
    probes.map(async (probe): Promise<DependencyCheck> => {
      const startedAt = elapsed();
      const report = await withinTime((signal) => probe.check(signal), probe.timeoutMs ?? defaultTimeoutMs).catch(
        unhealthyReport,
      );
      return { name: probe.name, ...report, latency_ms: elapsed() - startedAt };
    }),
  );
  const count = (status: DependencyStatus) => checks.filter((check) => check.status === status).length;
  const [degraded, unhealthy] = [count('degraded'), count('unhealthy')];
  return {
    statusCode: unhealthy > 0 ? 503 : 200,
    body: {
      status: unhealthy > 0 ? 'unhealthy' : degraded > 0 ? 'degraded' : 'healthy',
      timestamp: now(),
      version,
      checks,
      summary: { total: checks.length, healthy: count('healthy'), degraded, unhealthy },
    },
  };
}

export type EvictionPressure = 'low' | 'medium' | 'high' | 'critical';

/** How the pressure on the disk cache counts among the dependencies. */
export function evictionStatus(pressure: EvictionPressure): DependencyStatus {
  if (pressure === 'low') return 'healthy';
  return pressure === 'critical' ? 'unhealthy' : 'degraded';
}

function unhealthyReport(error: unknown): DependencyReport {
  return { status: 'unhealthy', message: errorMessage(error), details: {} };
}

async function probeStore(
  probe: StoreProbe | undefined,
  timeoutMs: number,
): Promise<{ ok: boolean | null; error?: string }> {
  if (!probe) return { ok: null };
  return withinTime(probe, timeoutMs).then(
    () => ({ ok: true }),
    (error: unknown) => ({ ok: false, error: errorMessage(error) }),
  );
}

async function withinTime<T>(probe: (signal: AbortSignal) => Promise<T> | T, timeoutMs: number): Promise<T> {
  const late = new AbortController();
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = new Error(`no answer within ${timeoutMs} ms`);
    timedOut.reject(error);
    late.abort(error);
  }, timeoutMs);
  try {
    return await Promise.race([Promise.resolve(late.signal).then(probe), timedOut.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** These bodies are public, and drivers like to quote the address they dialled. */
function errorMessage(error: unknown): string {
  return redactText(error instanceof Error ? error.message : String(error));
}
