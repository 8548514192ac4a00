// Credentials that an operator defines and notebooks name. A value is read when it is used, so that a changed file or
// variable is seen by the next run; the name is part of how a result came about, the values never are.
import { matchesGlob } from '../globs.ts';
import {
  type CredentialSettings,
  replaceCredentialSettings,
  type Settings,
  showCredentialSettings,
} from '../settings/index.ts';
import { createLender, type Lender } from './lender.ts';

export interface Credentials extends Lender {
  /** Whether somebody may change things with it; nobody in particular matches only `*`. */
  mayWrite(name: string, principal: string | null): boolean;
  /** Whether writing is only for those who are named. */
  writersAreSet(): boolean;
  catalogs(): CredentialSettings['catalogs'];
  /** The settings of the server, in which those that were replaced are always the current ones. */
  readonly settings: Settings;
  /** Replaces all five settings at once; throws a SettingsError and changes nothing. */
  replace(body: Readonly<Record<string, unknown>>): void;
  /** Without what must not be seen. */
  shown(): Record<string, unknown>;
}

export function createCredentials(initial: Settings, variables: NodeJS.ProcessEnv = process.env): Credentials {
  let settings = initial;

  const lender = createLender(
    () => ({
      credentials: settings.notebookCredentials,
      schemes: settings.notebookMountCredentials,
      paths: settings.notebookCredentialPaths,
    }),
    variables,
    'server',
  );
  return {
    ...lender,
    mayWrite(name, principal) {
      const { notebookCredentialWriters: writers } = settings;
      return (
        writers === null ||
        (writers[name] ?? []).some((glob) => glob === '*' || (principal !== null && matchesGlob(glob, principal)))
      );
    },
    writersAreSet: () => settings.notebookCredentialWriters !== null,
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
