// A JSON schema in a notation that people read: names, types, bounds and words, indented.
import { escapeMarkup } from '../../escapeMarkup.ts';

export const renderSchema = (schema: unknown): string => escapeMarkup(describe(schema, ''));

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function describe(schema: unknown, indent: string): string {
  if (!isFields(schema)) return 'anything';
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map((choice) => describe(choice, indent)))].join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `list of ${describe(schema.items, indent)}`;
  if (schema.type === 'object') return describeObject(schema, indent);
  return typeof schema.type === 'string' ? `${schema.type}${bounds(schema)}` : 'anything';
}

function describeObject(schema: Fields, indent: string): string {
  const properties = isFields(schema.properties) ? Object.entries(schema.properties) : [];
  if (properties.length === 0) {
    return isFields(schema.additionalProperties) ? `map of ${describe(schema.additionalProperties, indent)}` : 'object';
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  const inner = `${indent}  `;
  const lines = properties.map(
    ([name, value]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${describe(value, inner)}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function bounds({ minimum, maximum, minLength, maxLength, pattern, default: fallback }: Fields): string {
  const isWide = (value: unknown): boolean => Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
  const parts = [
    minimum === undefined || isWide(minimum) ? '' : `≥ ${minimum}`,
    maximum === undefined || isWide(maximum) ? '' : `≤ ${maximum}`,
    minLength === undefined ? '' : `at least ${minLength} characters`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    pattern === undefined ? '' : `like ${pattern}`,
    fallback === undefined ? '' : `default ${JSON.stringify(fallback)}`,
  ].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
