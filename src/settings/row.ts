// One row of the settings table: kind, default, meaning and marks. Names are derived from the property key by one rule:
// `notebookStorageDir` is `SVC_NOTEBOOK_STORAGE_DIR` in the environment and `notebook_storage_dir` in the project file.

import { dirname, join } from 'node:path';
import type { Kind } from './kinds/index.ts';

export type DeploymentMode = 'personal' | 'service';

/** What a default may depend on. */
export interface Basis {
  readonly mode: DeploymentMode;
  readonly notebookStorageDir: string;
}

export interface Default<V> {
  of(basis: Basis): V;
  /** Said in documentation instead of the value. */
  readonly words: string | null;
}

export interface Marks {
  /** Never read from the project file. */
  readonly environmentOnly: boolean;
  /** Never shown, neither in listings nor in messages. */
  readonly secret: boolean;
  /** Who reads it; the server knows the worker's names but leaves their values alone. */
  readonly program: 'server' | 'client' | 'worker';
  /** A malformed value gives a warning and the default, instead of stopping the start. */
  readonly forgiving: boolean;
  /** Name in the environment when it does not follow the rule. */
  readonly environmentName: string | null;
  /** A second place in the project file: `[tool.svc.<block>]`. */
  readonly block: string | null;
}

export interface Row<V> extends Marks {
  readonly kind: Kind<NonNullable<V>>;
  readonly default: Default<V>;
  readonly meaning: string;
}

export type Rows = Readonly<Record<string, Row<unknown>>>;
/** The rows of a set of values, so that a row and its value keep their types together. */
export type RowsOf<S> = { readonly [K in keyof S]: Row<S[K]> };
export type ValueOf<R extends Row<unknown>> = ReturnType<R['default']['of']>;
export type ValuesOf<T extends Rows> = { readonly [K in keyof T]: ValueOf<T[K]> };

const PLAIN: Marks = {
  environmentOnly: false,
  secret: false,
  program: 'server',
  forgiving: false,
  environmentName: null,
  block: null,
};

export function setting<T extends {}>(
  kind: Kind<T>,
  fallback: Default<NoInfer<T>>,
  meaning: string,
  marks: Partial<Marks> = {},
): Row<T> {
  return { ...PLAIN, ...marks, kind, default: fallback, meaning };
}

/** A setting that may be unset, which is `null` in the settings. */
export function optional<T extends {}>(
  kind: Kind<T>,
  fallback: Default<NoInfer<T> | null>,
  meaning: string,
  marks: Partial<Marks> = {},
): Row<T | null> {
  return { ...PLAIN, ...marks, kind, default: fallback, meaning };
}

export function fixed<const V>(value: V): Default<V> {
  return { of: () => value, words: null };
}

export const unset: Default<null> = { of: () => null, words: 'unset' };

/** Unset, with words for what that amounts to. */
export function unsetMeans(words: string): Default<null> {
  return { of: () => null, words };
}

export function perMode<const P, const S>(personal: P, service: S, words: string): Default<P | S> {
  return { of: ({ mode }) => (mode === 'personal' ? personal : service), words };
}

export function besideNotebooks(name: string): Default<string> {
  return {
    of: ({ notebookStorageDir }) => join(dirname(notebookStorageDir), name),
    words: `${name} beside the notebook storage directory`,
  };
}

export function environmentName(key: string, row: Row<unknown>): string {
  return row.environmentName ?? `SVC_${snakeCase(key).toUpperCase()}`;
}

export function configKey(key: string): string {
  return snakeCase(key);
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
