// The fields of a credential that a catalog names: literal, from a variable, or from a file that is read at each use.
import { readFileSync } from 'node:fs';
import { refusals } from '../../errors/index.ts';
import type { CatalogProperties, Settings } from '../../settings/index.ts';
import type { Properties } from './storage.ts';

/** The catalog's properties with those of its credential beneath them; `lookUp` gives variables. */
export function withCredential(
  catalog: string,
  properties: CatalogProperties,
  { notebookCredentials }: Pick<Settings, 'notebookCredentials'>,
  lookUp: (variable: string) => string | undefined,
): Properties {
  const { svc_credential: named, ...own } = properties;
  if (named === undefined) return texts(own);
  const credential = String(named);
  const fields = notebookCredentials[credential];
  if (!fields) throw refusals.catalogCredentialUnusable(catalog, credential, 'no such credential is defined');
  const resolved = Object.entries(fields).map(([field, value]) => [
    field,
    resolve(String(value), lookUp, (reason) => refusals.catalogCredentialUnusable(catalog, credential, reason)),
  ]);
  return { ...Object.fromEntries(resolved), ...texts(own) };
}

function resolve(
  value: string,
  lookUp: (variable: string) => string | undefined,
  refuse: (reason: string) => Error,
): string {
  const reference = /^\$\{(.+)\}$/s.exec(value)?.[1];
  if (reference === undefined) return value;
  if (reference.startsWith('file:')) {
    const file = reference.slice('file:'.length);
    try {
      return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
    } catch {
      throw refuse(`the file ${file} cannot be read`);
    }
  }
  const found = lookUp(reference);
  if (found === undefined) throw refuse(`the variable ${reference} is not set`);
  return found;
}

const texts = (properties: CatalogProperties): Properties =>
  Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)]));
