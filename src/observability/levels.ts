/** Severity words of log records, lowest first, and the spellings of them that settings and queries may use. */
import type { LogLevel } from '../protocol/index.ts';

const severity: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 };

const spellings = new Map<string, LogLevel>([
  ['notset', 'debug'],
  ['trace', 'debug'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['error', 'error'],
  ['fatal', 'critical'],
  ['critical', 'critical'],
]);

/** undefined for a word that names no level */
export function parseLogLevel(word: string): LogLevel | undefined {
  return spellings.get(word.trim().toLowerCase());
}

export function isAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return severity[level] >= severity[minimum];
}
