// Values that come as text, in a path or a query.
import { z } from 'zod';

function wholeNumber(value: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof value !== 'string') return value;
  if (/^[ ]*[+-]?\d+[ ]*$/.test(value)) return Number(value);
  context.addIssue({ code: 'invalid_type', expected: 'int', input: value });
  return z.NEVER;
}

const words: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
};

export const queryInt = (range: { min?: number; max?: number } = {}) =>
  z.preprocess(
    wholeNumber,
    z
      .int()
      .min(range.min ?? Number.MIN_SAFE_INTEGER)
      .max(range.max ?? Number.MAX_SAFE_INTEGER),
  );

export const queryBool = () =>
  z.preprocess((value) => (typeof value === 'string' ? (words[value.toLowerCase()] ?? value) : value), z.boolean());
