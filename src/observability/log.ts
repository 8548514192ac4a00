/**
 * The server's log. A record is built and cleaned once, then goes to the ring and, as one line, to the destination.
 * Of pino this uses the destination: its record order is fixed and its redaction knows paths only, while the lines
 * here must have the protocol's order and no secret in any text. A level that is off costs one comparison.
 */
import { isatty } from 'node:tty';
import pino from 'pino';
import type { LogLevel, LogRecord } from '../protocol/index.ts';
import { isAtLeast } from './levels.ts';
import { addFields, addSource, cleanContext, type LogContext, type LogFields } from './record.ts';
import { redactText } from './redact.ts';
import type { LogRing } from './ring.ts';
import { callSite } from './source.ts';
import { formatText } from './text.ts';

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warning(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  critical(message: string, fields?: LogFields): void;
  isEnabled(level: LogLevel): boolean;
  /** A log whose records also carry this context; `logger` renames it. */
  child(context: LogContext & { readonly logger?: string }): Log;
}

export interface RootLog extends Log {
  /** Start and stop of the server: `{"event", "timestamp", …}`, printed at every level, not kept in the ring. */
  lifecycle(event: string, fields?: LogFields): void;
  /** Lines the destination did not take. */
  droppedLines(): number;
  /** Writes out what is buffered; call before the process ends. */
  flush(): void;
}

export interface LogDestination {
  write(line: string): unknown;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: 'json' | 'text';
  /** A file descriptor (1 or 2), or anything with `write`. */
  readonly destination: number | LogDestination;
  readonly ring: LogRing;
  readonly logger?: string;
  /** Ids of the span that is active where a record is written. */
  readonly traceIds?: () => { readonly trace_id: string; readonly span_id: string } | undefined;
  /** The notebook that the work at hand is done in. */
  readonly notebookId?: () => string | undefined;
  /** Epoch seconds. */
  readonly now?: () => number;
}

const maxBufferedBytes = 1024 * 1024;

export function createLog(options: LogOptions): RootLog {
  const { level: minimum, format, destination, ring, traceIds, notebookId, now = () => Date.now() / 1000 } = options;
  const output = typeof destination === 'number' ? openDescriptor(destination) : openWriter(destination);
  const colour = format === 'text' && typeof destination === 'number' && isatty(destination);
  const print = (record: LogRecord) =>
    output.write(`${format === 'json' ? JSON.stringify(record) : formatText(record, colour)}\n`);

  function create(logger: string, context: LogContext): Log {
    const cleaned = cleanContext(context);

    function write(level: LogLevel, message: string, fields: LogFields | undefined, method: LogMethod): void {
      const record: LogRecord = { level, logger, message: redactText(message), timestamp: now(), ...cleaned };
      const notebook = notebookId?.();
      if (notebook !== undefined) record.notebook_id ??= notebook;
      const ids = traceIds?.();
      if (ids) Object.assign(record, ids);
      if (fields) addFields(record, fields);
      if (isAtLeast(level, 'warning')) addSource(record, callSite(method));
      ring.append(record);
      print(record);
    }

    function methodOf(level: LogLevel): LogMethod {
      if (!isAtLeast(level, minimum)) return () => {};
      const method: LogMethod = (message, fields) => write(level, message, fields, method);
      return method;
    }

    return {
      debug: methodOf('debug'),
      info: methodOf('info'),
      warning: methodOf('warning'),
      error: methodOf('error'),
      critical: methodOf('critical'),
      isEnabled: (level) => isAtLeast(level, minimum),
      child: ({ logger: name = logger, ...more }) => create(name, { ...context, ...more }),
    };
  }

  return {
    ...create(options.logger ?? 'svc', {}),
    lifecycle(event, fields = {}) {
      const facts: LogRecord = { level: 'info', logger: '', message: '', timestamp: now() };
      addFields(facts, fields);
      const { level: _level, logger: _logger, message: _message, timestamp, ...rest } = facts;
      output.write(`${JSON.stringify({ event, timestamp, ...rest })}\n`);
    },
    droppedLines: output.dropped,
    flush: output.flush,
  };
}

type LogMethod = (message: string, fields?: LogFields) => void;

interface Output extends LogDestination {
  dropped(): number;
  flush(): void;
}

/**
 * Writes synchronously, so a crash loses no line. A non-blocking descriptor whose reader has stopped is not waited for:
 * lines are kept up to the bound, then dropped and counted. (A blocking pipe blocks, as it does for every writer.)
 */
function openDescriptor(descriptor: number): Output {
  let dropped = 0;
  const sink = pino.destination({
    dest: descriptor,
    sync: true,
    maxLength: maxBufferedBytes,
    retryEAGAIN: () => false,
  });
  sink.on('drop', () => {
    dropped += 1;
  });
  // The line stays in the sink's buffer and goes out with the next one; a log that cannot be written has no better
  // place to say so than the count.
  sink.on('error', () => {});
  return { write: (line) => sink.write(line), dropped: () => dropped, flush: () => sink.flushSync() };
}

function openWriter(writer: LogDestination): Output {
  return { write: (line) => writer.write(line), dropped: () => 0, flush: () => {} };
}
