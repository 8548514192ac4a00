/**
 * Tracing by OpenTelemetry; loaded only when it is on. Registers nothing globally: the active span is kept here, so two
 * servers in one process do not share it, and context crosses processes as W3C `traceparent`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { exceptionText, redactField, redactText } from './redact.ts';
import { type SpanAttributes, type TraceHeaders, type Tracing, tellingOthers } from './spans.ts';

export function createOpenTelemetry(endpoint: string, serviceName: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('svc');
  const active = new AsyncLocalStorage<Span>();

  return {
    enabled: true,
    span(name, attributes, parentHeaders, fn) {
      const remote = parentHeaders && remoteParent(parentHeaders);
      const parent = remote ?? active.getStore()?.spanContext();
      const span = tracer.startSpan(
        name,
        { kind: parentHeaders ? SpanKind.SERVER : SpanKind.INTERNAL },
        parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
      );
      const set = (more: SpanAttributes) => setAttributes(span, more);
      set(attributes);
      return active.run(span, async () => {
        try {
          return await tellingOthers(
            () => headersOf(span.spanContext()),
            () => fn({ set }),
          );
        } catch (error) {
          recordFailure(span, error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    currentIds() {
      const context = active.getStore()?.spanContext();
      return context && { trace_id: context.traceId, span_id: context.spanId };
    },
    shutdown: () => provider.shutdown(),
  };
}

function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): Record<string, string> {
  const state = traceState?.serialize();
  const flags = traceFlags.toString(16).padStart(2, '0');
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state ? { tracestate: state } : {}) };
}

const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

function remoteParent(headers: TraceHeaders): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceparent.exec(single(headers.traceparent)) ?? [];
  if (!traceId || !spanId || !flags) return undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    traceState: createTraceState(single(headers.tracestate)),
  };
  return isSpanContextValid(context) ? context : undefined;
}

function single(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(',') ?? '');
}

/** Spans leave the machine: no secret may be in them. */
function setAttributes(span: Span, attributes: SpanAttributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined) continue;
    const clean = redactField(key, value);
    if (typeof clean === 'string' || typeof clean === 'number' || typeof clean === 'boolean') {
      span.setAttribute(key, clean);
    }
  }
}

function recordFailure(span: Span, error: unknown): void {
  const message = redactText(error instanceof Error ? error.message : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  span.recordException(
    error instanceof Error ? { name: error.name, message, stack: redactText(exceptionText(error)) } : message,
  );
}
