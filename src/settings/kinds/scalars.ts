// Kinds of one plain value: text, numbers, flags, choices. Numbers are written in decimal; anything that JavaScript
// would quietly turn into a number (empty text, hex, `Infinity`) is refused.

import { accept, type Kind, type Reading, refuse, refuseWhole, textual } from './kind.ts';

export function text(): Kind<string> {
  return textual('string', (value) => (value === '' ? refuseWhole('is empty') : accept(value)));
}

/** Text for which empty is a meaningful value, in the project file at least: the environment has no way to say it. */
export function textOrEmpty(): Kind<string> {
  return textual('string', accept);
}

const WHOLE = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Kind<number> {
  const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`;
  const wanted = `is not a whole number ${max === Number.MAX_SAFE_INTEGER ? 'of' : 'from'} ${range}`;
  const check = (value: unknown, found: unknown): Reading<number> =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? accept(value)
      : refuse(found, wanted);
  return {
    label: `integer, ${range}`,
    fromText: (source) => check(WHOLE.test(source) ? Number(source) : null, source),
    fromValue: (value) => check(value, value),
    show: String,
  };
}

interface Bound {
  readonly label: string;
  readonly wanted: string;
  readonly admits: (value: number) => boolean;
}

function decimal(bound: Bound): Kind<number> {
  const check = (value: unknown, found: unknown): Reading<number> =>
    typeof value === 'number' && Number.isFinite(value) && bound.admits(value)
      ? accept(value)
      : refuse(found, `is not ${bound.wanted}`);
  return {
    label: `number, ${bound.label}`,
    fromText: (source) => check(DECIMAL.test(source) ? Number(source) : null, source),
    fromValue: (value) => check(value, value),
    show: String,
  };
}

export function atLeast(min: number): Kind<number> {
  return decimal({ label: `${min} or more`, wanted: `a number of ${min} or more`, admits: (value) => value >= min });
}

export function positive(): Kind<number> {
  return decimal({ label: 'above 0', wanted: 'a number above 0', admits: (value) => value > 0 });
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

export function flag(): Kind<boolean> {
  const read = (source: string): Reading<boolean> => {
    const value = FLAGS.get(source.toLowerCase());
    return value === undefined ? refuse(source, 'is neither true nor false') : accept(value);
  };
  return {
    label: 'true or false',
    fromText: read,
    fromValue: (value) => (typeof value === 'boolean' ? accept(value) : refuse(value, 'is neither true nor false')),
    show: String,
  };
}

export function choice<const T extends string>(...options: readonly T[]): Kind<T> {
  const named = options.map((option) => `'${option}'`).join(', ');
  return textual(`one of ${options.join(', ')}`, (value) => {
    const chosen = options.find((option) => option === value);
    return chosen === undefined ? refuse(value, `is not one of ${named}`) : accept(chosen);
  });
}

/** A choice that people write in any case, such as a log level. */
export function choiceInAnyCase<const T extends string>(...options: readonly T[]): Kind<T> {
  const exact = choice(...options);
  return textual(exact.label, (value) => {
    const chosen = options.find((option) => option.toLowerCase() === value.toLowerCase());
    return chosen === undefined ? exact.fromText(value) : accept(chosen);
  });
}
