/** How a log record is filled: its context in a fixed order, then the facts of the event, all without secrets. */
import type { LogRecord, LogSource } from '../protocol/index.ts';
import { exceptionText, redactField, redactText } from './redact.ts';

/** Says for whom a record was written. Set once, on a child log. */
export interface LogContext {
  readonly request_id?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly notebook_id?: string | undefined;
  readonly tenant_id?: string | undefined;
  readonly principal?: string | undefined;
  readonly build_id?: string | undefined;
  readonly transform_ref?: string | undefined;
  readonly provenance_hash?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
}

/** Facts of one event, flattened into its record. An Error under `error` becomes the record's `exception`. */
export type LogFields = Readonly<Record<string, unknown>>;

const contextKeys = [
  'request_id',
  'method',
  'path',
  'notebook_id',
  'tenant_id',
  'principal',
  'build_id',
  'transform_ref',
  'provenance_hash',
  'trace_id',
  'span_id',
] as const satisfies readonly (keyof LogContext)[];

const ownKeys = new Set(['level', 'logger', 'message', 'timestamp', 'cursor', 'exception', 'source']);

/** The context in its fixed order, without secrets and without what is unset. */
export function cleanContext(context: LogContext): LogContext {
  const clean: { -readonly [key in keyof LogContext]: string } = {};
  for (const key of contextKeys) {
    const value = context[key];
    if (value !== undefined) clean[key] = redactText(value);
  }
  return clean;
}

/** Adds the event's own facts; one that bears the name of a part of the record is kept under `<name>_`. */
export function addFields(record: LogRecord, fields: LogFields): void {
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'error' && value instanceof Error) record.exception = redactText(exceptionText(value));
    else if (value !== undefined) record[ownKeys.has(key) ? `${key}_` : key] = redactField(key, value);
  }
}

export function addSource(record: LogRecord, source: LogSource | undefined): void {
  if (source) record.source = source;
}
