// Kinds whose value is a JSON object (a table in the project file), described by a zod schema. Zod's issues become
// flaws with the path an operator would write: `.deny.0.tabels`, or `['c1']` where the operator chose the name.

import type { z } from 'zod';
import { didYouMean } from '../suggest.ts';
import { accept, type Kind, type Reading, refuseWhole, type SettingFlaw } from './kind.ts';

interface ObjectKindOptions {
  /** The first level is a map from names the operator chose, rather than fixed keys. */
  readonly named?: boolean;
  /** Fixed keys anywhere in the object, for "did you mean". */
  readonly keys?: readonly string[];
}

export function jsonObject<T>(label: string, schema: z.ZodType<T>, options: ObjectKindOptions = {}): Kind<T> {
  const check = (value: unknown): Reading<T> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuseWhole(`is not ${label}`);
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return accept(parsed.data);
    return { ok: false, flaws: parsed.error.issues.flatMap((issue) => flawsOf(issue, options)) };
  };
  return {
    label: 'JSON object',
    fromText: (source) => {
      let document: unknown;
      try {
        document = JSON.parse(source);
      } catch (error) {
        return refuseWhole(`is not ${label}${placeOf(error)}`);
      }
      return check(document);
    },
    fromValue: check,
    show: (value) => JSON.stringify(value),
  };
}

/** The parser's message quotes the document, which may hold secrets; only its position is safe to repeat. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /at position \d+/.exec(error.message)?.[0] : undefined;
  return position === undefined ? '' : ` (JSON breaks ${position})`;
}

function flawsOf(issue: z.core.$ZodIssue, options: ObjectKindOptions): SettingFlaw[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key], options),
      found: null,
      message: `unknown key${didYouMean(key, options.keys ?? [])}`,
    }));
  }
  return [{ path: pathOf(issue.path, options), found: null, message: messageOf(issue) }];
}

function pathOf(path: readonly PropertyKey[], { named = false }: ObjectKindOptions): string {
  return path.map((step, depth) => (named && depth === 0 ? `['${String(step)}']` : `.${String(step)}`)).join('');
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'custom':
      return issue.message;
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `is not ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `is not one of ${issue.values.map((value) => `'${String(value)}'`).join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' ? `must be ${issue.minimum} or more` : 'must not be empty';
    default:
      return issue.message;
  }
}
