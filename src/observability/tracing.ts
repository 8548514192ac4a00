/**
 * Spans of requests and of the work below them, sent to an OTLP collector. Off unless an endpoint is set and the kill
 * switch is on; off, nothing is loaded and a span is a plain call. The OpenTelemetry packages are optional.
 */
import type { Log } from './log.ts';
import type { ActiveSpan, Tracing } from './spans.ts';

export interface TracingOptions {
  /** Base address of the collector; `/v1/traces` is added. */
  readonly endpoint: string | undefined;
  readonly serviceName: string;
  readonly enabled: boolean;
  readonly log: Log;
}

export type LoadTracing = () => Promise<{
  createOpenTelemetry(endpoint: string, serviceName: string): Tracing;
}>;

const ignoringSpan: ActiveSpan = { set: () => {} };

export const noTracing: Tracing = {
  enabled: false,
  span: (_name, _attributes, _parentHeaders, fn) => fn(ignoringSpan),
  currentIds: () => undefined,
  shutdown: async () => {},
};

export async function startTracing(
  { endpoint, serviceName, enabled, log }: TracingOptions,
  load: LoadTracing = () => import('./openTelemetry.ts'),
): Promise<Tracing> {
  if (!enabled || !endpoint) return noTracing;
  try {
    const { createOpenTelemetry } = await load();
    return createOpenTelemetry(endpoint, serviceName);
  } catch (error) {
    log.warning('Tracing is off: the OpenTelemetry packages cannot be loaded. Install the optional dependencies.', {
      error,
    });
    return noTracing;
  }
}
