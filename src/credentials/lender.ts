// Gives named credentials to whoever may use them: the fields with their values, read at each use. A server has one, and a
// worker has one of its own.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Settings } from '../settings/index.ts';

/** Who asks: a notebook with its environment. */
export interface CredentialUse {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Lender {
  /**
   * The fields with their values; without a notebook, as the program itself uses them. Throws CredentialRefused, which names
   * the credential and no value.
   */
  fieldsOf(name: string, use?: CredentialUse): Record<string, string>;
  /** Throws CredentialRefused when notebooks in this folder may not use it. */
  checkPath(name: string, directory: string): void;
  /** The credential of mounts that name none. */
  ofScheme(scheme: string): string | null;
}

export class CredentialRefused extends Error {
  override name = 'CredentialRefused';
}

export interface Lent {
  readonly credentials: Settings['notebookCredentials'];
  readonly schemes: Settings['notebookMountCredentials'];
  readonly paths: Settings['notebookCredentialPaths'];
}

/** `holder` is who defines them, in words: `server`, `worker`. */
export function createLender(current: () => Lent, variables: NodeJS.ProcessEnv, holder: string): Lender {
  function resolved(name: string, value: string, env: CredentialUse['env']): string {
    const file = /^\$\{file:(.*)\}$/s.exec(value)?.[1];
    if (file !== undefined) return contentOf(name, file);
    const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
    if (reference === undefined) return value;
    const found = env[reference] || variables[reference];
    if (found === undefined || found === '')
      throw new CredentialRefused(`Credential '${name}' refers to ${reference}, which is not set.`);
    return found;
  }

  function checkPath(name: string, directory: string): void {
    const folders = current().paths[name];
    if (folders !== undefined && !folders.some((folder) => isBelow(directory, folder)))
      throw new CredentialRefused(`Credential '${name}' may not be used by notebooks in this folder.`);
  }

  return {
    checkPath,
    fieldsOf(name, use) {
      if (use) checkPath(name, use.directory);
      const { credentials } = current();
      const fields = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
      if (fields === undefined)
        throw new CredentialRefused(`Credential '${name}' is not defined on this ${holder}; ask its operator for it.`);
      return Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [field, resolved(name, String(value), use?.env ?? {})]),
      );
    },
    ofScheme(scheme) {
      const { schemes } = current();
      return (Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined) ?? null;
    },
  };
}

function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');
  } catch {
    throw new CredentialRefused(`Credential '${name}' refers to a file that cannot be read.`);
  }
}

/** As written, so that a link inside an allowed folder does not lead a notebook out of it unseen. */
function isBelow(directory: string, folder: string): boolean {
  if (!path.isAbsolute(directory) || directory.split(path.sep).includes('..')) return false;
  const way = path.relative(folder, directory);
  return way === '' || (!way.startsWith('..') && !path.isAbsolute(way));
}
