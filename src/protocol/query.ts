// Values that come as text, in a path or a query.
import { z } from 'zod';

const fromText = (value: unknown): unknown => {
  if (typeof value !== 'string' || value.trim() === '') return value;
  const number = Number(value);
  return Number.isNaN(number) ? value : number;
};

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
    fromText,
    z
      .int()
      .min(range.min ?? Number.MIN_SAFE_INTEGER)
      .max(range.max ?? Number.MAX_SAFE_INTEGER),
  );

export const queryBool = () =>
  z.preprocess((value) => (typeof value === 'string' ? (words[value.toLowerCase()] ?? value) : value), z.boolean());
