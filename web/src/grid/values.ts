// A value of a table as text, to its last digit, and as a cell of a sheet takes it.

const floatType = /^(half|float|double)/;

export const isNumberType = (type: string): boolean => /^(u?int|half|float|double|decimal)/.test(type);

/** Nothing is an empty text here; who shows it has a word of its own for that. */
export function cellText(value: unknown, type: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, floatType.test(type));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

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
