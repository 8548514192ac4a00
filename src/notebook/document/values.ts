// Parts of a notebook as the file writes them: keys in their documented order, unset ones left out, secrets blank.

import { type TomlData, type TomlTable, tomlFloat, tomlRaw } from '../../toml/index.ts';
import type { Cell, Connection } from './notebook.ts';
import type { Mount, VariantGroupEntry, WorkerSpec } from './schema.ts';
import { authOnDisk, envOnDisk } from './secrets.ts';

/** Keys of the server's own making that a client may send back; they are not the notebook's. */
const internalConnectionKeys = new Set(['catalog_properties', 'confine_to', 'mount_sources']);

export function mountOnDisk({ name, uri, mode, pin, options, credential }: Mount): TomlTable {
  return present({ name, uri, mode, pin, options: filled(options), credential });
}

export function workerOnDisk({ name, backend, runtime_id, config }: WorkerSpec): TomlTable {
  return present({ name, backend, runtime_id, config: filled(config) });
}

export function variantGroupOnDisk({ group, active, mode }: VariantGroupEntry): TomlTable {
  return present({ group, active, mode: mode === 'switch' ? undefined : mode });
}

export function connectionOnDisk({ driver, auth, options, credential, extras }: Connection): TomlTable {
  const own = Object.entries(extras).filter(([key]) => !internalConnectionKeys.has(key));
  return present({
    driver,
    ...Object.fromEntries(own),
    credential,
    auth: filled(authOnDisk(auth)),
    options: filled(options),
  });
}

export function cellOnDisk(cell: Omit<Cell, 'source' | 'testSource'>): TomlTable {
  return present({
    id: cell.id,
    file: cell.file,
    language: cell.language,
    order: cell.order,
    worker: cell.worker,
    timeout: cell.timeout === null ? undefined : tomlFloat(cell.timeout),
    created_by: cell.createdBy,
    updated_by: cell.updatedBy,
    env: envOnDisk(cell.env),
    mounts: cell.mounts.length === 0 ? undefined : cell.mounts.map(mountOnDisk),
  });
}

/** Data from a request or a parsed file as TOML data. TOML has no null: such keys are left out. */
export function toToml(value: unknown): TomlData | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Temporal.ZonedDateTime) return tomlRaw(value.toString({ timeZoneName: 'never' }));
  if (isPlainTime(value)) return tomlRaw(value.toString());
  if (Array.isArray(value)) return value.map(toToml).filter((one) => one !== undefined);
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    case 'object':
      return present(value);
    default:
      return undefined;
  }
}

function isPlainTime(value: unknown): value is Temporal.PlainDateTime | Temporal.PlainDate | Temporal.PlainTime {
  return (
    value instanceof Temporal.PlainDateTime ||
    value instanceof Temporal.PlainDate ||
    value instanceof Temporal.PlainTime
  );
}

/** The keys that have a value. Raw TOML passes as it is. */
export function present(table: object): TomlTable {
  const kept: Record<string, TomlData> = {};
  for (const [key, value] of Object.entries(table)) {
    const printed = isReady(value) ? value : toToml(value);
    if (printed !== undefined) kept[key] = printed;
  }
  return kept;
}

const filled = (table: object): object | undefined => (Object.keys(table).length === 0 ? undefined : table);

/** Made by this module already: raw text has only a symbol for a key. */
function isReady(value: unknown): value is TomlData {
  return typeof value === 'object' && value !== null && Object.getOwnPropertySymbols(value).length > 0;
}
