// What a listing says about one setting, before it is laid out.

import type { LoadedSettings } from '../load.ts';
import { redact } from '../redact.ts';
import type { Basis, Row } from '../row.ts';
import type { SettingEntry } from '../table.ts';

const PERSONAL: Basis = { mode: 'personal', notebookStorageDir: '~/.svc/notebooks' };

export function defaultWords(row: Row<unknown>): string {
  return row.default.words ?? (literalDefault(row) || 'empty');
}

/** Whether the default is a value rather than words about one. */
export function hasLiteralDefault(row: Row<unknown>): boolean {
  return row.default.words === null && literalDefault(row) !== '';
}

function literalDefault(row: Row<unknown>): string {
  const value = row.default.of(PERSONAL);
  return value === null || value === undefined ? '' : row.kind.show(value);
}

export function marksOf({ environmentOnly, secret, program }: Row<unknown>): string[] {
  return [
    ...(program === 'server' ? [] : [program]),
    ...(environmentOnly ? ['environment only'] : []),
    ...(secret ? ['secret'] : []),
  ];
}

export interface CurrentValue {
  /** With secrets replaced. */
  readonly value: unknown;
  readonly source: string;
}

/** Null for settings that this program does not read. */
export function currentValue({ key, row }: SettingEntry, current: LoadedSettings | undefined): CurrentValue | null {
  if (current === undefined || !isSettingKey(key, current)) return null;
  return { value: redact(row, current.settings[key]), source: current.sources[key] };
}

function isSettingKey(key: string, { settings }: LoadedSettings): key is keyof LoadedSettings['settings'] {
  return key in settings;
}
