// The schema that an answer has to fit: how it is sent, how an answer is found in what a model wrote, and what is wrong with
// it in words.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** Throws when the schema itself is none; without a text only that is looked at. */
export function check(schema: JsonSchema, text: string | null): Checked {
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  if (text === null) return { problems: [] };
  const found = jsonIn(text);
  if (!found) return { problems: ['(root): the answer is not JSON'] };
  return validate(found.value) ? found : { problems: (validate.errors ?? []).slice(0, mostProblems).map(inWords) };
}

/** A model has no use for more. */
const mostProblems = 100;

const inWords = ({ instancePath, message }: ErrorObject): string =>
  `${instancePath === '' ? '(root)' : instancePath}: ${message ?? 'does not fit'}`;

/** The JSON of an answer: all of it, a fenced block of it, or what its outermost brackets hold. */
export function jsonIn(text: string): { readonly value: unknown } | undefined {
  const between = (open: string, close: string): string | undefined => {
    const [from, to] = [text.indexOf(open), text.lastIndexOf(close)];
    return from >= 0 && to > from ? text.slice(from, to + 1) : undefined;
  };
  for (const candidate of [text, fencedIn(text), between('{', '}'), between('[', ']')]) {
    if (candidate === undefined) continue;
    try {
      return { value: JSON.parse(candidate) };
    } catch {
      // The next candidate may be.
    }
  }
  return undefined;
}

function fencedIn(text: string): string | undefined {
  const begin = /```(?:json)?[^\S\n]*\n/.exec(text);
  if (!begin) return undefined;
  const from = begin.index + begin[0].length;
  const to = text.indexOf('```', from);
  return to < 0 ? undefined : text.slice(from, to);
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
