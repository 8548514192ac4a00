// Values that may be shown to people: what authenticates is replaced, what only refers to a secret (`${VAR}`,
// `${file:...}`) stays, because it is what an operator needs to see.

import type { Row } from './row.ts';
import { hideUrlPassword } from './urlPassword.ts';

export const REDACTED = '<redacted>';

const SECRET_KEY = /uri|key|secret|token|password|credential/i;
const REFERENCE = /^\$\{.*\}$/;

export function redact(row: Row<unknown>, value: unknown): unknown {
  return row.secret ? redactLeaves(value) : redactByKey(value);
}

/** Every literal goes; names of maps stay. */
export function redactLeaves(value: unknown): unknown {
  if (value === null) return null;
  if (typeof value === 'object') return mapLeaves(value, redactLeaves);
  return typeof value === 'string' && REFERENCE.test(value) ? value : REDACTED;
}

/** Only values under names that sound secret go, and passwords inside URLs. */
export function redactByKey(value: unknown): unknown {
  if (typeof value === 'string') return hideUrlPassword(value);
  if (typeof value !== 'object' || value === null) return value;
  return mapLeaves(value, (entry, key) =>
    SECRET_KEY.test(key) && typeof entry !== 'object' ? redactLeaves(entry) : redactByKey(entry),
  );
}

function mapLeaves(value: object, change: (entry: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => change(entry, ''));
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, change(entry, key)]));
}
