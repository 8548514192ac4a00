// What may not reach the disk: values of secret-looking variables and literal connection credentials are written blank
// and live in memory only. A value that is blank in the file and known from before keeps what it was.
import type { Connection } from './notebook.ts';

type Env = Readonly<Record<string, string>>;

export const maskedValue = '__svc_masked__';

const secretWords = ['KEY', 'SECRET', 'TOKEN', 'PASSWORD', 'CREDENTIAL'];

export function looksSecret(name: string): boolean {
  const upper = name.toUpperCase();
  return secretWords.some((word) => upper.includes(word));
}

/** `${VAR}` and nothing else: read from the environment when the connection opens. */
export function isIndirection(value: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(value);
}

/** The block as the file holds it: sorted, secrets blank, and undefined when nothing would be left to read. */
export function envOnDisk(env: Env): Record<string, string> | undefined {
  const names = Object.keys(env).sort();
  const written = names.map((name) => [name, looksSecret(name) ? '' : (env[name] ?? '')] as const);
  return written.some(([, value]) => value !== '') ? Object.fromEntries(written) : undefined;
}

export function authOnDisk(auth: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(auth).map(([field, value]) => [field, isIndirection(value) ? value : '']));
}

/** What the file says, with the secrets it leaves blank or out filled in from `remembered`. */
export function envInMemory(file: Env, remembered: Env): Env {
  const filled = Object.entries(remembered).filter(([name]) => looksSecret(name) && (file[name] ?? '') === '');
  return { ...file, ...Object.fromEntries(filled) };
}

export function connectionInMemory(file: Connection, remembered: Connection | undefined): Connection {
  if (remembered === undefined || remembered.driver !== file.driver) return file;
  const auth = Object.entries(file.auth).map(([field, value]) => [field, value || (remembered.auth[field] ?? '')]);
  return { ...file, auth: Object.fromEntries(auth) };
}

/** A client sends masked values back as it got them: they stand for what is there, or for nothing. */
export function unmasked(given: Env, current: Env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      if (value !== maskedValue) return [[name, value]];
      const known = current[name];
      return known === undefined ? [] : [[name, known]];
    }),
  );
}

/** No response carries a secret. */
export const maskedEnv = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value !== '' && looksSecret(name) ? maskedValue : value]),
  );
