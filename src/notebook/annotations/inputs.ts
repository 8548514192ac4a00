// Directives that bring something into a cell or carry it out: one line each, null when the line cannot be read.
import type { Mount } from '../document/index.ts';
import type { DatasetAnnotation, FetchAnnotation, TableAnnotation, WriteTableAnnotation } from './types.ts';
import { isIdentifier, keyAndValue, parseBigInteger, parseInteger, tokensOf } from './words.ts';

/** Split at the first `=`; the value is taken as it stands and may be empty. */
export function parseEnv(value: string): [name: string, value: string] | null {
  const at = value.indexOf('=');
  return at < 1 || value.includes('\0') ? null : [value.slice(0, at).trim(), value.slice(at + 1).trim()];
}

/** Tokens it does not know are ignored. */
export function parseMount(value: string): Mount | null {
  const [name = '', uri, ...rest] = tokensOf(value);
  if (uri === undefined || !isIdentifier(name)) return null;
  let mode: Mount['mode'] = 'ro';
  let credential: string | null = null;
  for (const token of rest) {
    if (token === 'ro' || token === 'rw') mode = token;
    const [key, named] = keyAndValue(token) ?? [];
    if (key === 'credential' && named !== undefined) credential = named;
  }
  return { name, uri, mode, pin: null, options: {}, credential };
}

export function parseTable(value: string): TableAnnotation | null {
  const [name = '', uri, ...rest] = tokensOf(value);
  if (uri === undefined || !isIdentifier(name)) return null;
  let snapshotPin: bigint | null = null;
  for (const token of rest) {
    if (!token.startsWith('snapshot=')) continue;
    snapshotPin = parseBigInteger(token.slice('snapshot='.length));
    if (snapshotPin === null) return null;
  }
  return { name, uri, snapshotPin };
}

/** A merge needs its key columns, the other modes take none. */
export function parseWriteTable(value: string): WriteTableAnnotation | null {
  const [variable = '', table, mode, keys, ...rest] = tokensOf(value);
  if (table === undefined || !isIdentifier(variable) || rest.length > 0) return null;
  if (mode === 'append' || mode === 'overwrite') return keys === undefined ? { variable, table, mode, on: [] } : null;
  if (mode !== 'merge' || keys?.startsWith('on=') !== true) return null;
  const on = keys.slice('on='.length).split(',');
  return on.includes('') ? null : { variable, table, mode, on };
}

export function parseOutputDir(value: string): string | null {
  return isIdentifier(value) ? value : null;
}

/** One unknown token makes the whole line unreadable: a misspelt pin must not fetch unpinned. */
export function parseFetch(value: string): FetchAnnotation | null {
  const [name = '', url, ...rest] = tokensOf(value);
  if (url === undefined || !isIdentifier(name)) return null;
  let sha256: string | null = null;
  let refetch: FetchAnnotation['refetch'] = 'stale';
  for (const token of rest) {
    const [key, option] = keyAndValue(token) ?? [];
    if (key === 'sha256' && /^[0-9a-f]{64}$/i.test(option ?? '')) sha256 = (option ?? '').toLowerCase();
    else if (key === 'refetch' && (option === 'never' || option === 'stale' || option === 'always')) refetch = option;
    else return null;
  }
  return { name, url, sha256, refetch };
}

/** `<name>`, `<name>@<alias>` or `<name>@v=<n>`, split at the last `@`. */
export function parseDataset(value: string): DatasetAnnotation | null {
  const [variable = '', reference, ...rest] = tokensOf(value);
  if (reference === undefined || rest.length > 0 || !isIdentifier(variable)) return null;
  const at = reference.lastIndexOf('@');
  if (at < 0) return { variable, registryName: reference, alias: null, version: null };
  const [registryName, tag] = [reference.slice(0, at), reference.slice(at + 1)];
  if (registryName === '' || tag === '') return null;
  if (!tag.startsWith('v=')) return { variable, registryName, alias: tag, version: null };
  const version = parseInteger(tag.slice(2));
  return version === null || version < 1 ? null : { variable, registryName, alias: null, version };
}
