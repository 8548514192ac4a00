/** The line that a person reads: local time, level, logger, message, then `key=value` pairs. */
import type { LogLevel, LogRecord } from '../protocol/index.ts';

const paint: Readonly<Record<LogLevel, string>> = {
  debug: '\u001b[2m',
  info: '\u001b[36m',
  warning: '\u001b[33m',
  error: '\u001b[31m',
  critical: '\u001b[1;31m',
};
const plain = '\u001b[0m';

const said = new Set(['level', 'logger', 'message', 'timestamp', 'exception', 'source']);

export function formatText(record: LogRecord, colour: boolean): string {
  const level = record.level.toUpperCase().padEnd(8);
  const head = `${localTime(record.timestamp)} ${colour ? `${paint[record.level]}${level}${plain}` : level} `;
  let line = `${head}${record.logger}: ${oneLine(record.message)}`;
  for (const [key, value] of Object.entries(record)) {
    if (!said.has(key)) line += ` ${key}=${printed(value)}`;
  }
  if (record.source) line += ` (${record.source.file}:${record.source.line} ${record.source.function})`;
  if (record.exception) line += ` exception=${JSON.stringify(record.exception)}`;
  return line;
}

function localTime(epochSeconds: number): string {
  const at = new Date(epochSeconds * 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

function printed(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return oneLine(/^[^\s"=]+$/.test(value) ? value : JSON.stringify(value));
}

// Line breaks could otherwise pass for several records, and control characters speak to the terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
const named: Readonly<Record<string, string>> = { '\r': '\\r', '\n': '\\n', '\t': '\\t' };

function oneLine(text: string): string {
  return text.replaceAll(control, (char) => named[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
