// How a result came about, as it is written down and hashed: canonical JSON that keeps numbers as they were sent, and the
// hash over it and the versions of its inputs.
import { createHash } from 'node:crypto';
import type { ArtifactVersion } from './types.ts';

export interface Transform {
  readonly executor: string | null;
  readonly inputs: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

const none: Transform = { executor: null, inputs: [], params: {} };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a recorded spec says; a version without one says nothing. */
export function transformOf(spec: string | null): Transform {
  const parsed: unknown = spec === null ? undefined : JSON.parse(spec);
  if (!isRecord(parsed)) return none;
  const { executor, inputs, params } = parsed;
  return {
    executor: typeof executor === 'string' ? executor : null,
    inputs: Array.isArray(inputs) ? inputs.map(String) : [],
    params: isRecord(params) ? params : {},
  };
}

/** What was declared; a version with a schema is a table; anything else is bytes. */
export function contentTypeOf({ transformSpec, schema }: Pick<ArtifactVersion, 'transformSpec' | 'schema'>): string {
  const declared = transformOf(transformSpec).params.content_type;
  if (typeof declared === 'string' && declared !== '') return declared;
  return schema === null || schema === '' ? '' : 'arrow/ipc';
}

/** A number as it stood in the text: `1.0` is not `1`, and 64-bit integers stay whole. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** JSON with every number kept as it was written. */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined ? new ExactNumber(source) : value,
  );
}

/** The same value with the language's own numbers: whole ones as bigint, the others as number. */
export function plainNumbers(value: unknown): unknown {
  if (value instanceof ExactNumber) return /^-?\d+$/.test(value.source) ? BigInt(value.source) : Number(value.source);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainNumbers(member)]));
}

/** Sorted keys, `", "` and `": "` between, nothing outside ASCII, floats in their shortest form. */
export function canonicalJson(value: unknown): string {
  if (value instanceof ExactNumber) return numberText(value.source);
  if (typeof value === 'number') return numberText(String(value));
  if (typeof value === 'string') return asciiText(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(', ')}]`;
  if (!isRecord(value)) return 'null';
  const members = Object.keys(value)
    .sort(byCodePoint)
    .map((key) => `${asciiText(key)}: ${canonicalJson(value[key])}`);
  return `{${members.join(', ')}}`;
}

const asciiText = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function numberText(source: string): string {
  if (/^-?\d+$/.test(source)) return source === '-0' ? '0' : source;
  const value = Number(source);
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 16) {
    const plain = value.toFixed(Math.max(0, digits.replace(/[-.]/g, '').length - 1 - exponent));
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

export interface NewTransform {
  readonly executor: string;
  readonly inputs: readonly string[];
  readonly params: unknown;
}

export const transformSpec = ({ executor, inputs, params }: NewTransform): string =>
  canonicalJson({ executor, inputs: [...inputs], params });

/** Each input with its version, sorted, then the spec. */
export function transformHash(spec: string, inputVersions: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256');
  const lines = Object.entries(inputVersions).map(([uri, version]) => `${uri}:${version}`);
  for (const line of lines.sort(byCodePoint)) hash.update(line).update('\0');
  return hash.update(spec).digest('hex');
}
