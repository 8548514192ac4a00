// The five settings an administrator replaces together on a running server. The same kinds and rules apply as at
// startup, so that what a start would refuse is refused here too; one left out returns to its default.

import { SettingsError } from './errors.ts';
import { REDACTED, redactByKey, redactLeaves } from './redact.ts';
import { refusalsOf } from './refusals/index.ts';
import { configKey, type Row, type RowsOf } from './row.ts';
import { type Settings, settingsRows } from './table.ts';

export type CredentialSettings = Pick<
  Settings,
  | 'notebookCredentials'
  | 'notebookMountCredentials'
  | 'notebookCredentialPaths'
  | 'notebookCredentialWriters'
  | 'catalogs'
>;

const rows: RowsOf<CredentialSettings> = settingsRows;

/** Settings with the five replaced by `body`, whose keys are config keys; throws a SettingsError and changes nothing. */
export function replaceCredentialSettings(settings: Settings, body: Readonly<Record<string, unknown>>): Settings {
  const problems: string[] = [];
  const basis = { mode: settings.deploymentMode, notebookStorageDir: settings.notebookStorageDir };
  const read = <K extends keyof CredentialSettings>(key: K): CredentialSettings[K] => {
    const row: Row<CredentialSettings[K]> = rows[key];
    const value = withKept(body[configKey(key)] ?? null, settings[key]);
    const reading = value === null ? null : row.kind.fromValue(value);
    if (reading?.ok) return reading.value;
    problems.push(...(reading?.flaws ?? []).map((flaw) => `${configKey(key)}${flaw.path}: ${flaw.message}`));
    return row.default.of(basis);
  };
  const replaced: Settings = {
    ...settings,
    notebookCredentials: read('notebookCredentials'),
    notebookMountCredentials: read('notebookMountCredentials'),
    notebookCredentialPaths: read('notebookCredentialPaths'),
    notebookCredentialWriters: read('notebookCredentialWriters'),
    catalogs: read('catalogs'),
  };
  if (problems.length === 0) problems.push(...refusalsOf(replaced, new Set()));
  if (problems.length > 0) throw new SettingsError(problems);
  return Object.freeze(replaced);
}

/** What was shown may be sent back: a value that was hidden stands for the one that is there. */
function withKept(given: unknown, current: unknown): unknown {
  if (given === REDACTED && current !== undefined && typeof current !== 'object') return current;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const there: Readonly<Record<string, unknown>> = Object(current);
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      withKept(value, Object.hasOwn(there, key) ? there[key] : undefined),
    ]),
  );
}

/** The five as they may be shown, by config key: literals and secret-looking properties replaced, references kept. */
export function showCredentialSettings(settings: CredentialSettings): Record<string, unknown> {
  return {
    notebook_credentials: redactLeaves(settings.notebookCredentials),
    notebook_mount_credentials: settings.notebookMountCredentials,
    notebook_credential_paths: settings.notebookCredentialPaths,
    notebook_credential_writers: settings.notebookCredentialWriters,
    catalogs: redactByKey(settings.catalogs),
  };
}
