// A value of a table as text, to its last digit, and as a cell of a sheet takes it.
import { isExactNumber } from '../state/index.ts';

const floatType = /^(half|float|double)/;

export const isNumberType = (type: string): boolean => /^(u?int|half|float|double|decimal)/.test(type);

/** Nothing is an empty text here; who shows it has a word of its own for that. */
export function cellText(value: unknown, type: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, floatType.test(type));
  return typeof value === 'object' ? written(value) : String(value);
}

/** What it counts as in a sum; null for what is no number. The zero below zero comes as a word. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'number' ? value : value === '-0.0' ? 0 : null;

/** Lists and records as Python writes them. */
function written(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object') return String(value);
  if (isExactNumber(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([name, part]) => `${quoted(name)}: ${written(part)}`)
    .join(', ')}}`;
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return text.includes("'") && !text.includes('"') ? `"${escaped}"` : `'${escaped.replaceAll("'", "\\'")}'`;
}

const plainTypes: readonly [RegExp, string][] = [
  [/\blarge_(string|binary|list)\b/g, '$1'],
  [/\bdictionary<.*>/g, 'category'],
  [/\bhalffloat\b/g, 'float16'],
  [/\bfloat\b/g, 'float32'],
  [/\bdouble\b/g, 'float64'],
  [/\b(date|time)\d\d\[\w+\]/g, '$1'],
  [/\bdecimal\d+\b/g, 'decimal'],
  [/\bmonth_day_nano_interval\b/g, 'interval'],
];

/** A type as people of data frames call it: how Arrow stores it is nothing to a reader. */
export const typeName = (type: string): string =>
  plainTypes.reduce((name, [pattern, plain]) => name.replace(pattern, plain), type);

/** A whole number among floats keeps its point, as Python writes it: who reads it sees that it is no integer. */
function numberText(value: number, isFloat: boolean): string {
  const text = Object.is(value, -0) ? '-0' : String(value);
  return isFloat && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** NaN and infinities come as words, in columns that hold no other texts. */
export const isNoNumber = (value: unknown, type: string): boolean =>
  typeof value === 'string' && floatType.test(type) && /^(NaN|-?Infinity)$/.test(value);

const field = (text: string): string => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** As spreadsheets paste it. */
export const tabSeparated = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(field).join('\t')).join('\n');

/** Six digits, and never fewer than stand before the point. */
export function short(value: number): string {
  const size = Math.abs(value);
  if (size >= Number.MAX_SAFE_INTEGER) return value.toExponential(5);
  return String(size < 1e5 ? Number(value.toPrecision(6)) : Math.round(value));
}
