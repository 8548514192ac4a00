// What the service knows of tracing: spans around its work, whoever collects them.

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
  /** Adds the current span to the headers of an outgoing request. */
  inject(headers: Record<string, string>): void;
  /** Sends what is left. */
  shutdown(): Promise<void>;
}
