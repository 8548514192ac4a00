// Options of a command, checked; the first that is wrong is named as the user wrote it.
import type { z } from 'zod';
import { UsageError } from './failure.ts';

export function check<T>(schema: z.ZodType<T>, given: object): T {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0] ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${name}: ${issue?.message}`);
}
