// Reads typed values out of rows. The two drivers differ (PostgreSQL gives BIGINT as text), so each reader settles that.
import type { Row } from './database.ts';

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw unexpected(column, 'text', value);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function number(row: Row, column: string): number {
  const value = row[column];
  const result = typeof value === 'bigint' || typeof value === 'string' ? Number(value) : value;
  if (typeof result !== 'number' || Number.isNaN(result)) throw unexpected(column, 'a number', value);
  return result;
}

export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : number(row, column);
}

function unexpected(column: string, wanted: string, value: unknown): Error {
  return new TypeError(
    `Column ${column} should hold ${wanted} but holds ${value === undefined ? 'nothing' : typeof value}.`,
  );
}
