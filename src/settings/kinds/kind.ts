// What a setting's value looks like. A kind reads the text of an environment variable and the value of a project-file
// key (or of an override) into the same type, and says precisely what was wrong when it cannot. It knows nothing of
// names, sources or secrets: the loader adds those to its flaws.

import { hideUrlPassword } from '../urlPassword.ts';

export interface SettingFlaw {
  /** Where inside the value, e.g. `.deny.0.tabels` or `['c1']`; empty for the value as a whole. */
  readonly path: string;
  /** The offending piece as written, shown before the message unless the setting is a secret. */
  readonly found: string | null;
  readonly message: string;
  /** What to do about it, when that is more than "correct it". */
  readonly remedy?: string;
}

export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly flaws: readonly SettingFlaw[] };

/** The directories that relative and `~` paths are completed with. */
export interface Places {
  readonly home: string;
  readonly cwd: string;
}

export interface Kind<T> {
  /** Short name for listings and documentation. */
  readonly label: string;
  fromText(text: string): Reading<T>;
  fromValue(value: unknown): Reading<T>;
  show(value: T): string;
  /** Last touch that needs the surroundings; applied to defaults as well. */
  settle?(value: T, places: Places): T;
}

export function accept<T>(value: T): Reading<T> {
  return { ok: true, value };
}

export function refuse(
  found: unknown,
  message: string,
): { readonly ok: false; readonly flaws: readonly SettingFlaw[] } {
  return { ok: false, flaws: [{ path: '', found: quote(found), message }] };
}

/** A refusal that repeats nothing of the value. */
export function refuseWhole(
  message: string,
  remedy?: string,
): { readonly ok: false; readonly flaws: readonly SettingFlaw[] } {
  const flaw = { path: '', found: null, message };
  return { ok: false, flaws: [remedy === undefined ? flaw : { ...flaw, remedy }] };
}

export function quote(found: unknown): string {
  if (typeof found === 'string') return `'${shorten(hideUrlPassword(found))}'`;
  if (Array.isArray(found)) return 'a list';
  if (found instanceof Date) return found.toISOString();
  if (typeof found === 'object' && found !== null) return 'a table';
  return String(found);
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** A kind whose values are strings in every source, checked by one function. */
export function textual<T extends string>(label: string, check: (text: string) => Reading<T>): Kind<T> {
  return {
    label,
    fromText: check,
    fromValue: (value) => (typeof value === 'string' ? check(value.trim()) : refuse(value, 'is not a string')),
    show: (value) => value,
  };
}
