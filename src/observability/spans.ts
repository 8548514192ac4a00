// What the service knows of tracing: spans around its work, whoever collects them, and what others are told of them.
import { AsyncLocalStorage } from 'node:async_hooks';

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type TraceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ActiveSpan {
  /** Adds what is known only during the work. */
  set(attributes: SpanAttributes): void;
}

export interface Tracing {
  readonly enabled: boolean;
  /** Runs `fn` inside a span. Its parent is that of the headers, else the span around this call. */
  span<T>(
    name: string,
    attributes: SpanAttributes,
    parentHeaders: TraceHeaders | undefined,
    fn: (span: ActiveSpan) => Promise<T>,
  ): Promise<T>;
  currentIds(): { readonly trace_id: string; readonly span_id: string } | undefined;
  /** Sends what is left. */
  shutdown(): Promise<void>;
}

const outgoing = new AsyncLocalStorage<() => Readonly<Record<string, string>>>();

/** `traceparent` and `tracestate` of the span around this call, for requests to others; nothing where nothing is traced. */
export const traceHeaders = (): Readonly<Record<string, string>> => outgoing.getStore()?.() ?? {};

/** Whoever `fn` asks is told of this span. */
export const tellingOthers = <T>(headers: () => Readonly<Record<string, string>>, fn: () => T): T =>
  outgoing.run(headers, fn);
