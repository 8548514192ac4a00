// Credentials that an operator defines and notebooks name. A value is read when it is used, so that a changed file or
// variable is seen by the next run; the name is part of how a result came about, the values never are.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type CredentialSettings,
  replaceCredentialSettings,
  type Settings,
  showCredentialSettings,
} from '../settings/index.ts';

/** Who asks: a notebook with its environment. */
export interface CredentialUse {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Credentials {
  /**
   * The fields with their values; without a notebook, as the server itself uses them. Throws CredentialRefused, which names
   * the credential and no value.
   */
  fieldsOf(name: string, use?: CredentialUse): Record<string, string>;
  /** Throws CredentialRefused when notebooks in this folder may not use it. */
  checkPath(name: string, directory: string): void;
  /** Whether somebody may change things with it; nobody in particular matches only `*`. */
  mayWrite(name: string, principal: string | null): boolean;
  /** Whether writing is only for those who are named. */
  writersAreSet(): boolean;
  /** The credential of mounts that name none. */
  ofScheme(scheme: string): string | null;
  catalogs(): CredentialSettings['catalogs'];
  /** The settings of the server, in which those that were replaced are always the current ones. */
  readonly settings: Settings;
  /** Replaces all five settings at once; throws a SettingsError and changes nothing. */
  replace(body: Readonly<Record<string, unknown>>): void;
  /** Without what must not be seen. */
  shown(): Record<string, unknown>;
}

export class CredentialRefused extends Error {
  override name = 'CredentialRefused';
}

export function createCredentials(initial: Settings, variables: NodeJS.ProcessEnv = process.env): Credentials {
  let settings = initial;

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
    const folders = settings.notebookCredentialPaths[name];
    if (folders !== undefined && !folders.some((folder) => isBelow(directory, folder)))
      throw new CredentialRefused(`Credential '${name}' may not be used by notebooks in this folder.`);
  }

  return {
    checkPath,
    fieldsOf(name, use) {
      if (use) checkPath(name, use.directory);
      const fields = settings.notebookCredentials[name];
      if (fields === undefined)
        throw new CredentialRefused(`Credential '${name}' is not defined on this server; ask its operator for it.`);
      return Object.fromEntries(
        Object.entries(fields).map(([field, value]) => [field, resolved(name, String(value), use?.env ?? {})]),
      );
    },
    mayWrite(name, principal) {
      const { notebookCredentialWriters: writers } = settings;
      return writers === null || (writers[name] ?? []).some((glob) => glob === '*' || matches(glob, principal));
    },
    writersAreSet: () => settings.notebookCredentialWriters !== null,
    ofScheme: (scheme) => settings.notebookMountCredentials[scheme] ?? null,
    catalogs: () => settings.catalogs,
    settings: {
      ...initial,
      get catalogs() {
        return settings.catalogs;
      },
      get notebookCredentials() {
        return settings.notebookCredentials;
      },
    },
    replace(body) {
      settings = replaceCredentialSettings(settings, body);
    },
    shown: () => showCredentialSettings(settings),
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

function matches(glob: string, principal: string | null): boolean {
  if (principal === null) return false;
  const pattern = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${pattern}$`, 's').test(principal);
}
