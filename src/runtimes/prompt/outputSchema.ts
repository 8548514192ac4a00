// The schema that an answer has to fit: how it is sent, how an answer is found in what a model wrote, and what is wrong with
// it in words.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** Throws when the schema itself is none. */
export function checker(schema: JsonSchema): (text: string) => Checked {
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  return (text) => {
    const found = jsonIn(text);
    if (!found) return { problems: ['(root): the answer is not JSON'] };
    if (validate(found.value)) return found;
    return { problems: (validate.errors ?? []).map(inWords) };
  };
}

const inWords = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath === '' ? '(root)' : instancePath}: ${message ?? 'does not fit'}`;

/** The JSON of an answer: all of it, a fenced block of it, or what its outermost brackets hold. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  const fenced = /```(?:json)?\s*\n(.*?)```/s.exec(text)?.[1];
  const between = (open: string, close: string): string | undefined => {
    const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
    return from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
  };
  for (const candidate of [text, fenced, between('{', '}'), between('[', ']')]) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // The next candidate may be.
    }
  }
  return undefined;
}

/** With nothing allowed in objects but what they name: what strict providers ask for. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return isObjectSchema(inner) && !Object.hasOwn(inner, 'additionalProperties')
    ? { ...inner, additionalProperties: false }
    : inner;
}

/** Whether every object requires all that it names. */
export function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (typeof schema !== 'object' || schema === null) return true;
  const { properties, required } = Object.fromEntries(Object.entries(schema));
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  const isComplete = names.every((name) => Array.isArray(required) && required.includes(name));
  return isComplete && Object.values(schema).every(isStrict);
}

const isObjectSchema = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema.type === 'object' || Object.hasOwn(schema, 'properties');
