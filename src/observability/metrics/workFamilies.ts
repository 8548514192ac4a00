/** Families of builds and of language-model calls. */
import type { AiUsage, AiUsageRow } from './aiUsage.ts';
import type { BuildMetrics } from './builds.ts';
import { counter, counterBy, type Family, gauge } from './families.ts';

export function buildFamilies(builds: BuildMetrics, { principalAuth }: { readonly principalAuth: boolean }): Family[] {
  const { totals } = builds;
  const transforms = builds.byTransform.entries();
  return [
    counter('builds_started_total', 'Builds started', totals.started),
    counter('builds_succeeded_total', 'Builds that succeeded', totals.succeeded),
    counter('builds_failed_total', 'Builds that failed', totals.failed),
    counter('builds_cancelled_total', 'Builds that were cancelled', totals.cancelled),
    counterBy(
      'error_code',
      'builds_errors_total',
      'Failed builds by their error code',
      builds.byErrorCode.entries().map(([code, row]) => [code, row.errors]),
    ),
    counter('builds_duration_total_ms', 'Time spent in builds', totals.durationMs),
    counter('builds_queue_wait_total_ms', 'Time builds waited', totals.queueWaitMs),
    counter('builds_bytes_in_total', 'Bytes read by builds', totals.bytesIn),
    counter('builds_bytes_out_total', 'Bytes written by builds', totals.bytesOut),
    gauge('builds_in_flight', 'Builds running', builds.inFlight()),
    counterBy(
      'transform',
      'build_transform_started_total',
      'Builds started',
      transforms.map(([ref, row]) => [ref, row.started]),
    ),
    counterBy(
      'transform',
      'build_transform_succeeded_total',
      'Builds that succeeded',
      transforms.map(([ref, row]) => [ref, row.succeeded]),
    ),
    counterBy(
      'transform',
      'build_transform_failed_total',
      'Builds that failed',
      transforms.map(([ref, row]) => [ref, row.failed]),
    ),
    ...percentileFamilies(builds),
    ...(principalAuth ? [] : tenantFamilies(builds)),
  ];
}

/** Absent until there is a build to tell of: a zero would look like a very fast one. */
function percentileFamilies(builds: BuildMetrics): Family[] {
  const percentiles = builds.percentiles();
  if (!percentiles) return [];
  return [
    gauge('builds_duration_p50_ms', 'Median duration of recent builds', percentiles.durationP50),
    gauge('builds_duration_p95_ms', '95th percentile of recent build durations', percentiles.durationP95),
    gauge('builds_duration_p99_ms', '99th percentile of recent build durations', percentiles.durationP99),
    gauge('builds_queue_wait_p95_ms', '95th percentile of recent queue waits', percentiles.queueWaitP95),
  ];
}

function tenantFamilies(builds: BuildMetrics): Family[] {
  const tenants = builds.byTenant.entries();
  return [
    counterBy(
      'tenant',
      'build_tenant_started_total',
      'Builds started',
      tenants.map(([id, row]) => [id, row.started]),
    ),
    counterBy(
      'tenant',
      'build_tenant_bytes_out_total',
      'Bytes written by builds',
      tenants.map(([id, row]) => [id, row.bytesOut]),
    ),
  ];
}

/** Absent before the first call. */
export function aiFamilies(usage: AiUsage): Family[] {
  const rows = usage.rows();
  if (rows.length === 0) return [];
  const family = (name: string, help: string, value: (row: AiUsageRow) => number): Family => ({
    name,
    kind: 'counter',
    help,
    labelNames: usage.labelNames,
    samples: rows.map((row) => ({ labels: row.labels, value: value(row) })),
  });
  return [
    family('ai_calls_total', 'Language-model calls', (row) => row.calls),
    family('ai_input_tokens_total', 'Tokens sent to language models', (row) => row.inputTokens),
    family('ai_output_tokens_total', 'Tokens received from language models', (row) => row.outputTokens),
  ];
}
