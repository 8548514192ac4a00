/**
 * The newest log records, in memory. Each gets a cursor, counted from 1; readers name the last cursor they have seen.
 * A follower pulls from the ring at its own pace: a slow one misses records that were overwritten, and costs nothing.
 */
import type { LogEntry, LogRecord, LogsBody } from '../protocol/index.ts';
import { isAtLeast, parseLogLevel } from './levels.ts';
import { createLogPatterns, type LogPatterns } from './logPattern.ts';

export interface LogFilter {
  /** Only entries after this cursor. */
  readonly since?: number | undefined;
  /** Lowest severity; a word that names none filters nothing. */
  readonly level?: string | undefined;
  readonly notebook?: string | undefined;
  /** Searched in the message. Throws LogPatternError when it cannot be used. */
  readonly regex?: string | undefined;
}

export interface LogRing {
  append(record: LogRecord): LogEntry;
  /** The most recent `limit` matches, oldest first. */
  query(filter?: LogFilter & { readonly limit?: number | undefined }): LogsBody;
  /** The backlog after `since`, then every new match, until the signal aborts. A bad filter throws at once. */
  subscribe(filter: LogFilter, signal: AbortSignal): AsyncGenerator<LogEntry, void, undefined>;
}

const defaultCapacity = 10_000;
const defaultLimit = 200;

export function createLogRing({ capacity = defaultCapacity }: { readonly capacity?: number } = {}): LogRing {
  const slots: LogEntry[] = [];
  const waiting = new Set<() => void>();
  const patterns = createLogPatterns();
  let newest = 0;

  /** Entries after the cursor that are still held, oldest first. */
  function after(cursor: number): LogEntry[] {
    const entries: LogEntry[] = [];
    for (let at = Math.max(cursor, newest - capacity, 0) + 1; at <= newest; at += 1) {
      const entry = slots[(at - 1) % capacity];
      if (entry) entries.push(entry);
    }
    return entries;
  }

  function appended(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      waiting.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener('abort', wake);
    return promise;
  }

  async function* follow(select: EntrySelection, since: number, signal: AbortSignal) {
    // A cursor from before a restart lies ahead of the ring; it must not hide what comes now.
    let cursor = Math.min(since, newest);
    while (!signal.aborted) {
      const fresh = after(cursor);
      cursor = Math.max(cursor, newest);
      for (const entry of select(fresh)) {
        yield entry;
        if (signal.aborted) return;
      }
      if (cursor >= newest) await appended(signal);
    }
  }

  return {
    append(record) {
      newest += 1;
      const entry: LogEntry = { ...record, cursor: newest };
      slots[(newest - 1) % capacity] = entry;
      for (const wake of [...waiting]) wake();
      return entry;
    },
    query({ since = 0, limit = defaultLimit, ...filter } = {}) {
      const matches = selection(filter, patterns)(after(since));
      return { entries: matches.slice(Math.max(0, matches.length - limit)), cursor: newest };
    },
    subscribe: (filter, signal) => follow(selection(filter, patterns), filter.since ?? 0, signal),
  };
}

/** The whole record, a line for each part: an expression may ask for a cell, an exception or a path as well. */
function searched({ message, cursor: _, timestamp: _timestamp, ...rest }: LogEntry): string {
  const parts = Object.values(rest).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return [message, ...parts].join('\n');
}

type EntrySelection = (entries: LogEntry[]) => LogEntry[];

function selection(filter: LogFilter, patterns: LogPatterns): EntrySelection {
  const minimum = parseLogLevel(filter.level ?? '');
  const { notebook } = filter;
  const pattern = filter.regex ? patterns.compile(filter.regex) : undefined;
  return (entries) => {
    const kept = entries.filter(
      (entry) =>
        (minimum === undefined || isAtLeast(entry.level, minimum)) &&
        (notebook === undefined || notebook === '' || entry.notebook_id === notebook),
    );
    if (!pattern) return kept;
    const matches = pattern.matches(kept.map(searched));
    return kept.filter((_, index) => matches[index]);
  };
}
