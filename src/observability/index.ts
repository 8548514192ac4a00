/**
 * What the server tells about itself: log, metrics, health, traces. Domain code; everything is made by a factory and
 * handed on by the composition root. Loading this door loads neither prom-client nor OpenTelemetry.
 */
export { type ConnectionCounts, createConnectionCounts } from './connections.ts';
export { createEventLoop, type EventLoop } from './eventLoop.ts';
export { createGcPauses, type GcGeneration, type GcPause, type GcPauses } from './gcPauses.ts';
export {
  type DependencyProbe,
  type DependencyReport,
  dependencies,
  type EvictionPressure,
  evictionStatus,
  type HealthAnswer,
  type ReadinessProbes,
  type ReadinessState,
  readiness,
  type StoreProbe,
} from './health.ts';
export { createLatency, type Latency } from './latency.ts';
export { isAtLeast, parseLogLevel } from './levels.ts';
export { createLog, type Log, type LogDestination, type LogOptions, type RootLog } from './log.ts';
export { LogPatternError } from './logPattern.ts';
export { detailedMemory, memorySnapshot } from './memory.ts';
export {
  type AiCall,
  type BuildOf,
  type BuildRecorder,
  createMetrics,
  type DiskCacheState,
  type LiveSources,
  type MetadataState,
  type Metrics,
  type MetricsOptions,
  type ReportedLimits,
  type ScanOf,
  type ScanRecorder,
  type Scrape,
} from './metrics/index.ts';
export { createRecentSamples, type RecentSamples } from './percentiles.ts';
export type { LogContext, LogFields } from './record.ts';
export { redactField, redactText } from './redact.ts';
export { createLogRing, type LogFilter, type LogRing } from './ring.ts';
export { type ActiveSpan, type SpanAttributes, type TraceHeaders, type Tracing, traceHeaders } from './spans.ts';
export { noTracing, startTracing, type TracingOptions } from './tracing.ts';
