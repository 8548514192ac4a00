// Values between JavaScript cells and others: tables as Arrow, everything that JSON can say as JSON.
import fs from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { Table, tableFromArrays, tableFromIPC, tableToIPC, utf8 } from '@uwdata/flechette';

/** As a job names it. */
export interface InputSpec {
  readonly content_type: string;
  readonly file: string;
  readonly variants?: Readonly<Record<string, InputSpec>>;
}

export function readValue(name: string, { content_type, file, variants }: InputSpec): unknown {
  switch (content_type) {
    case 'arrow/ipc':
      return tableFromIPC(fs.readFileSync(file), { useDate: true });
    case 'json/object':
      return readJson(fs.readFileSync(file, 'utf8'));
    case 'file/path':
      return file;
    case 'sweep/dict':
      return Object.fromEntries(Object.entries(variants ?? {}).map(([key, one]) => [key, readValue(name, one)]));
    default:
      throw new TypeError(
        `The input '${name}' is of type ${content_type}, which JavaScript cannot read. Give it to JavaScript as a data frame or as plain lists, numbers and text.`,
      );
  }
}

/** Whole numbers that JavaScript's own cannot hold are BigInts. */
const readJson = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? BigInt(source ?? '')
      : value,
  );

/** Makes a table of rows, or of columns by name. */
export function table(content: unknown): Table {
  if (content instanceof Table) return content;
  if (typeof content !== 'object' || content === null)
    throw new TypeError('table() takes an array of rows or an object with an array for each column.');
  const columns: Record<string, unknown[]> = Array.isArray(content) ? columnsOf(content) : Object(content);
  // Left to itself the library would make categories of texts.
  const texts = Object.keys(columns).filter((name) => isText(columns[name] ?? []));
  return tableFromArrays(columns, { types: Object.fromEntries(texts.map((name) => [name, utf8()])) });
}

const isText = (column: readonly unknown[]): boolean =>
  column.some((value) => typeof value === 'string') &&
  column.every((value) => value === null || value === undefined || typeof value === 'string');

function columnsOf(rows: readonly object[]): Record<string, unknown[]> {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => Object(row)[name] ?? null)]));
}

export const isTable = (value: unknown): value is Table => value instanceof Table;

const about = (value: Table): object => ({ content_type: 'arrow/ipc', rows: value.numRows, columns: value.names });

/** Written into the folder; throws what is wrong with it, in words. */
export function storeValue(value: unknown, stem: string, folder: string): object {
  if (isTable(value)) {
    const file = `${stem}.arrow`;
    const bytes = tableToIPC(value, { format: 'stream' });
    if (bytes === null) throw new TypeError('the table could not be written');
    fs.writeFileSync(path.join(folder, file), bytes);
    return { ...about(value), file };
  }
  const text = jsonOf(value);
  const file = `${stem}.json`;
  fs.writeFileSync(path.join(folder, file), text);
  return { content_type: 'json/object', file, ...previewOf(value, text) };
}

/** What is known of a value that nobody reads. */
export function describeValue(value: unknown): object {
  if (isTable(value)) return about(value);
  try {
    return { content_type: 'json/object', ...previewOf(value, jsonOf(value)) };
  } catch {
    return { content_type: 'text/plain', type: typeName(value), text: inspect(value).slice(0, mostText) };
  }
}

const mostText = 20_000;

const previewOf = (value: unknown, text: string): object =>
  text.length <= mostText
    ? { preview: [value ?? null] }
    : { type: typeName(value), text: inspect(value).slice(0, mostText) };

export const typeName = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value;

/** As it is written: BigInts as whole numbers. */
export function jsonOf(value: unknown): string {
  refuseOthers(value, new Set());
  return JSON.stringify(value ?? null, exactly);
}

export const exactly = (_key: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value));
  return ArrayBuffer.isView(value) && !(value instanceof DataView) ? [...Object(value)] : value;
};

function refuseOthers(value: unknown, above: Set<object>): void {
  if (value === undefined || value === null || ['string', 'boolean', 'bigint'].includes(typeof value)) return;
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new TypeError(`${value} cannot be given to other cells: JSON has no such number; use null`);
    return;
  }
  if (typeof value === 'function')
    throw new TypeError('functions and classes cannot be given to other cells; define them in the cell that uses them');
  if (value instanceof Promise) throw new TypeError('a promise cannot be given to other cells; await it');
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be given to other cells`);
  if (above.has(value)) throw new TypeError('a value that holds itself cannot be given to other cells');
  const isPlain =
    Array.isArray(value) ||
    ArrayBuffer.isView(value) ||
    [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isPlain)
    throw new TypeError(
      `a ${typeName(value)} cannot be given to other cells, only tables, arrays, plain objects, numbers and text`,
    );
  above.add(value);
  for (const one of Object.values(value)) refuseOthers(one, above);
  above.delete(value);
}
