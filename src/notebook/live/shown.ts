// What of a notebook's configuration may be shown. A value under a secret-looking name is shown as a mark that may be sent
// back, a password inside an address as stars; references such as `${NAME}` say where a secret is, not what it is.
import { isDeepStrictEqual } from 'node:util';
import { hiding, namesSecret, passwordsIn } from '../../errors/index.ts';
import type { AiRecord } from '../../protocol/index.ts';
import { filledByFetch } from '../annotations/index.ts';
import {
  type Connection,
  isIndirection,
  type MalformedConnection,
  type Mount,
  maskedEnv,
  maskedValue,
  type Notebook,
  type WorkerSpec,
} from '../document/index.ts';

/** Every literal of a driver's credentials is one, whatever its name: only references are shown. */
export const shownAuth = (auth: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(auth).map(([name, value]) => [name, isIndirection(value) ? value : '']));

/** A free-form table of the file (catalog, mount options, worker config, driver keys) without what must not be seen. */
export function shownTable(table: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, shownValue(name, value)]));
}

function shownValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    if (value === '' || isIndirection(value)) return value;
    return namesSecret(name) ? maskedValue : hiding(passwordsIn(value))(value);
  }
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map((one) => shownValue(name, one));
  return typeof value === 'object' && value !== null ? shownTable({ ...value }) : value;
}

/** The environment as it is shown: what was fetched is always a secret. */
export function envRecord(notebook: Notebook) {
  const { env, fetched, secretManager } = notebook;
  const filled = Object.keys(filledByFetch(notebook));
  return {
    env: { ...maskedEnv(env), ...Object.fromEntries(filled.map((name) => [name, maskedValue])) },
    env_sources: Object.fromEntries([
      ...Object.keys(env).map((name) => [name, 'manual']),
      ...filled.map((name) => [name, secretManager.provider ?? 'manual']),
    ]),
    env_fetch_error: fetched.error,
    env_fetched_at: fetched.at,
    secret_manager_config: secretManager,
  };
}

/** Which model it names; never its key. */
export function shownAi({ ai }: Notebook): AiRecord | null {
  if (ai === null) return null;
  const { model, base_url } = ai;
  return { model, base_url: base_url === null ? null : hiding(passwordsIn(base_url))(base_url) };
}

/** With every key that the configuration of a worker may have. */
export const shownWorker = ({ config, ...worker }: WorkerSpec) => ({
  ...worker,
  config: { url: null, transport: null, svc_url: null, token_env: null, token: null, ...shownTable(config) },
});

export const shownMount = (mount: Mount): Mount => ({ ...mount, options: shownTable(mount.options) });

export const shownConnection = ({ name, driver, auth, options, credential, extras }: Connection) => ({
  name,
  driver,
  auth: shownAuth(auth),
  options: shownTable(options),
  credential,
  ...shownTable(extras),
});

export const shownMalformed = ({ name, body, error }: MalformedConnection) => ({
  ...shownTable({ body }),
  name,
  error,
});

/** A client sends back what it was shown: such a value stands for the one that is there. */
export function unshown(
  given: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const shown = shownTable(current);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Object.hasOwn(current, name) && isDeepStrictEqual(value, shown[name]) ? current[name] : value,
    ]),
  );
}
