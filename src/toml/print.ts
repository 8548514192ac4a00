// Values as TOML text, in the layout notebooks are written in. Whole numbers print as integers; a number that must stay
// a float goes through `tomlFloat`.

const raw = Symbol('raw TOML');

/** Text that is TOML already. The symbol keeps data from outside, which has string keys only, from posing as one. */
export interface RawToml {
  readonly [raw]: string;
}

export type TomlTable = { readonly [key: string]: TomlData };
export type TomlData = string | number | bigint | boolean | readonly TomlData[] | RawToml | TomlTable;

export const tomlRaw = (text: string): RawToml => ({ [raw]: text });

export const tomlFloat = (value: number): RawToml => tomlRaw(printFloat(value));

export const rawText = (value: RawToml): string => value[raw];

export const isRaw = (value: TomlData): value is RawToml => typeof value === 'object' && raw in value;

export function isTable(value: TomlData): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !isRaw(value);
}

/** The value on one line. */
export function printValue(value: TomlData): string {
  if (typeof value === 'string') return printString(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : printFloat(value);
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (isRaw(value)) return value[raw];
  if (isTable(value))
    return printInlineTable(Object.entries(value).map(([key, one]) => [printKey(key), printValue(one)]));
  return `[${value.map(printValue).join(', ')}]`;
}

export function printInlineTable(fields: readonly (readonly [key: string, value: string])[]): string {
  return fields.length === 0 ? '{}' : `{ ${fields.map(([key, value]) => `${key} = ${value}`).join(', ')} }`;
}

export function printKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : printString(key);
}

export const printPath = (path: readonly string[]): string => path.map(printKey).join('.');

function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = Object.is(value, -0) ? '-0' : String(value);
  return /[.e]/.test(text) ? text.replace(/^(-?\d+)e/, '$1.0e') : `${text}.0`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

function printString(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters TOML wants escaped
  const escaped = value.replace(/[\u0000-\u001f"\\\u007f]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(4, '0');
    return shortEscapes[character] ?? `\\u${hex}`;
  });
  return `"${escaped}"`;
}
