// Schema failures in the `{loc, msg, type}` convention, with the type words clients of such services know. What was sent
// is not echoed: it may hold a secret.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

export interface ValidationEntry {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Thrown by the shell for a request that does not fit its schema; answered 422. */
export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid';
  readonly entries: readonly ValidationEntry[];

  constructor(entries: readonly ValidationEntry[]) {
    super('The request does not fit its schema');
    this.entries = entries;
  }
}

const partNames: Readonly<Record<string, string>> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** What a value is called that is none of a fixed set: notebook routes speak of enums, the core ones of literals. */
export type ChoiceType = 'enum' | 'literal_error';

export function invalidRequest(
  part: string,
  issues: readonly Issue[],
  choiceType: ChoiceType = 'enum',
): RequestInvalid {
  const where = partNames[part] ?? part;
  return new RequestInvalid(oncePerPlace(issues).flatMap((issue) => entriesOf(issue, where, choiceType)));
}

/** A field is told once, by the first thing wrong with it. That no number is so large says less than its own limit. */
function oncePerPlace(issues: readonly Issue[]): Issue[] {
  const told = new Map<string, Issue>();
  for (const issue of issues) {
    const place = JSON.stringify(issue.path.map(String));
    const before = told.get(place);
    if (!before || isBeyondAllNumbers(before)) told.set(place, issue);
  }
  return [...told.values()];
}

const isBeyondAllNumbers = (issue: Issue): boolean =>
  (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int';

function entriesOf(issue: Issue, where: string, choiceType: ChoiceType): ValidationEntry[] {
  const loc = [where, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: 'Extra inputs are not permitted',
    }));
  }
  return [{ loc, ...described(issue, where !== 'body', choiceType) }];
}

type Description = Pick<ValidationEntry, 'type' | 'msg' | 'ctx'>;

/** `fromText`: the value came as text (path, query), so a number that is none could not be parsed. */
function described(issue: Issue, fromText: boolean, choiceType: ChoiceType): Description {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? { type: 'missing', msg: 'Field required' }
        : wrongType(issue.expected, fromText);
    case 'too_small':
      return bound(issue, issue.minimum, lower);
    case 'too_big':
      return bound(issue, issue.maximum, upper);
    case 'invalid_format':
      return issue.format === 'regex' && typeof issue.pattern === 'string'
        ? {
            type: 'string_pattern_mismatch',
            msg: `String should match pattern '${issue.pattern.replace(/^\/|\/[a-z]*$/g, '')}'`,
            ctx: { pattern: issue.pattern.replace(/^\/|\/[a-z]*$/g, '') },
          }
        : valueError(issue.message);
    case 'invalid_value': {
      const expected = oneOf(issue.values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))));
      return { type: choiceType, msg: `Input should be ${expected}`, ctx: { expected } };
    }
    default:
      return valueError(issue.message);
  }
}

/** The words before the reason and the empty error are what clients of such services find there. */
const valueError = (reason: string): Description => ({
  type: 'value_error',
  msg: `Value error, ${reason}`,
  ctx: { error: {} },
});

const oneOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

function wrongType(expected: string, fromText: boolean): Description {
  switch (expected) {
    case 'string':
      return { type: 'string_type', msg: 'Input should be a valid string' };
    case 'int':
      return fromText
        ? { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string as an integer' }
        : { type: 'int_type', msg: 'Input should be a valid integer' };
    case 'number':
      return fromText
        ? { type: 'float_parsing', msg: 'Input should be a valid number, unable to parse string as a number' }
        : { type: 'float_type', msg: 'Input should be a valid number' };
    case 'boolean':
      return fromText
        ? { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' }
        : { type: 'bool_type', msg: 'Input should be a valid boolean' };
    case 'array':
      return { type: 'list_type', msg: 'Input should be a valid list' };
    case 'object':
    case 'record':
      return { type: 'dict_type', msg: 'Input should be a valid dictionary' };
    default:
      return valueError(`Input should be ${expected}`);
  }
}

interface BoundWords {
  readonly inclusive: readonly [type: string, key: string, words: string];
  readonly exclusive: readonly [type: string, key: string, words: string];
  readonly length: readonly [type: string, key: string, words: string];
}

const lower: BoundWords = {
  inclusive: ['greater_than_equal', 'ge', 'greater than or equal to'],
  exclusive: ['greater_than', 'gt', 'greater than'],
  length: ['too_short', 'min_length', 'at least'],
};

const upper: BoundWords = {
  inclusive: ['less_than_equal', 'le', 'less than or equal to'],
  exclusive: ['less_than', 'lt', 'less than'],
  length: ['too_long', 'max_length', 'at most'],
};

type BoundIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

function bound({ origin, inclusive, input }: BoundIssue, limit: number | bigint, words: BoundWords): Description {
  const value = Number(limit);
  if (origin === 'number' || origin === 'int' || origin === 'bigint') {
    const [type, key, relation] = inclusive === false ? words.exclusive : words.inclusive;
    return { type, msg: `Input should be ${relation} ${value}`, ctx: { [key]: value } };
  }
  const [type, key, relation] = words.length;
  const amount = (unit: string): string => `${relation} ${value} ${unit}${value === 1 ? '' : 's'}`;
  if (origin === 'string') {
    return { type: `string_${type}`, msg: `String should have ${amount('character')}`, ctx: { [key]: value } };
  }
  const actual = Array.isArray(input) ? input.length : null;
  return {
    type,
    msg: `List should have ${amount('item')} after validation, not ${actual}`,
    ctx: { field_type: 'List', [key]: value, actual_length: actual },
  };
}
