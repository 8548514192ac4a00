// Edits of the notebook's own keys. Lists are given whole: entries that stay keep their text, comments and unknown keys.
import { refusals } from '../../errors/index.ts';
import {
  elementsOf,
  type Layout,
  putKey,
  putTable,
  sortEntries,
  type TomlData,
  type TomlTable,
  tableBlocks,
  tomlFloat,
  withElements,
} from '../../toml/index.ts';
import { checkedNotebookName } from '../storage/index.ts';
import type { Connection, Notebook } from './notebook.ts';
import type { ParsedFile } from './parse.ts';
import { type SaveOptions, saveEdit, tableIn, tablesIn } from './save.ts';
import type { Mount, SecretManagerConfig, VariantGroupEntry, WorkerSpec } from './schema.ts';
import { envOnDisk } from './secrets.ts';
import { connectionOnDisk, mountOnDisk, present, variantGroupOnDisk, workerOnDisk } from './values.ts';

const mountSchemes = new Set(['az', 'azure', 'file', 'gcs', 'gs', 's3']);
const workerEnvironments = new Set<unknown>(['auto', 'locked', 'own']);
const workerTransports = new Set(['build', 'direct', 'manifest', 'signed']);

/** The directory and the project keep their names. */
export function renameNotebook(notebook: Notebook, name: string, options?: SaveOptions): Promise<Notebook> {
  return putTopKey(notebook, 'name', checkedNotebookName(name), options);
}

export function setNotebookWorker(notebook: Notebook, worker: string | null, options?: SaveOptions): Promise<Notebook> {
  return putTopKey(notebook, 'worker', worker ?? undefined, options);
}

export function setNotebookTimeout(
  notebook: Notebook,
  seconds: number | null,
  options?: SaveOptions,
): Promise<Notebook> {
  return putTopKey(notebook, 'timeout', seconds === null ? undefined : tomlFloat(seconds), options);
}

export function setKeepsWidgets(notebook: Notebook, keeps: boolean, options?: SaveOptions): Promise<Notebook> {
  return putTopKey(notebook, 'keep_widgets', keeps || undefined, options);
}

export function setStrictPackages(notebook: Notebook, isStrict: boolean, options?: SaveOptions): Promise<Notebook> {
  return putTopKey(notebook, 'strict_packages', isStrict || undefined, options);
}

export function setReactive(notebook: Notebook, reactive: boolean, options?: SaveOptions): Promise<Notebook> {
  return putTopKey(notebook, 'reactive', reactive || undefined, options);
}

/** Replaces the whole set. Secrets live on in the returned notebook and nowhere else. */
export function setEnv(
  notebook: Notebook,
  env: Readonly<Record<string, string>>,
  options?: SaveOptions,
): Promise<Notebook> {
  const unusable = Object.entries(env).find(([name, value]) => /^$|[=\0]/.test(name) || value.includes('\0'));
  if (unusable) throw refusals.envUnusable(unusable[0]);
  return saveEdit(
    { ...notebook, env },
    ({ data, layout }) => {
      const edited = putKey(layout, [], 'env', data.env, envOnDisk(env));
      return edited === layout ? layout : sortEntries(edited, ['env']);
    },
    options,
  );
}

export function setSecretManager(
  notebook: Notebook,
  config: SecretManagerConfig,
  options?: SaveOptions,
): Promise<Notebook> {
  const table = present(config);
  return putTopKey(notebook, 'secret_manager', Object.keys(table).length === 0 ? undefined : table, options);
}

/** Sets the given keys of `[ai]`; null unsets one. */
export function setAi(
  notebook: Notebook,
  keys: { readonly [Key in 'model' | 'base_url' | 'api_key']?: string | null } & {
    readonly max_output_tokens?: number | null;
    readonly timeout_seconds?: number | null;
  },
  options?: SaveOptions,
): Promise<Notebook> {
  return saveEdit(
    notebook,
    ({ data, layout }) => {
      const current = tableIn(data, 'ai') ?? {};
      let edited = layout;
      for (const [key, value] of Object.entries(keys)) {
        const isFloat = key === 'timeout_seconds' && typeof value === 'number';
        edited = putKey(edited, ['ai'], key, current[key], isFloat ? tomlFloat(value) : (value ?? undefined));
      }
      return edited;
    },
    options,
  );
}

export function setMounts(notebook: Notebook, mounts: readonly Mount[], options?: SaveOptions): Promise<Notebook> {
  checkMounts(mounts);
  return saveEdit(notebook, (parsed) => putList(parsed, 'mounts', 'name', mounts.map(mountOnDisk), mountKeys), options);
}

/** Before anything is written: a mount that could never open must not get into the file. */
export function checkMounts(mounts: readonly Mount[]): void {
  refuseDuplicates('mount', mounts);
  for (const { uri } of mounts) {
    const scheme = /^([^:/]*):\/\//.exec(uri)?.[1] ?? '';
    if (!mountSchemes.has(scheme)) throw refusals.mountSchemeUnsupported(scheme, uri);
  }
}

/** A default that goes with the others is none any more: cells would ask for a worker that nobody knows. */
export function setWorkers(
  notebook: Notebook,
  workers: readonly WorkerSpec[],
  options?: SaveOptions,
): Promise<Notebook> {
  refuseDuplicates('worker', workers);
  for (const { name, config } of workers) {
    if (name === 'local') throw refusals.workerReserved();
    const { transport } = config;
    if (typeof transport === 'string' && !workerTransports.has(transport))
      throw refusals.workerTransportUnknown(transport);
    const { environment } = config;
    if (environment !== undefined && environment !== null && !workerEnvironments.has(environment))
      throw refusals.workerEnvironmentUnknown(String(environment));
  }
  const isDefault = ({ name }: { readonly name: string }): boolean => name === notebook.worker;
  const losesDefault = notebook.workers.some(isDefault) && !workers.some(isDefault);
  return saveEdit(
    notebook,
    (parsed) => {
      const layout = putList(parsed, 'workers', 'name', workers.map(workerOnDisk), workerKeys);
      return losesDefault ? putKey(layout, [], 'worker', parsed.data.worker, undefined) : layout;
    },
    options,
  );
}

/** Malformed blocks stay, unless a connection of the same name takes their place. */
export function setConnections(
  notebook: Notebook,
  connections: readonly Connection[],
  options?: SaveOptions,
): Promise<Notebook> {
  refuseDuplicates('connection', connections);
  const malformed = new Set(notebook.malformedConnections.map(({ name }) => name));
  return saveEdit(
    { ...notebook, connections },
    ({ data, layout }) => {
      const current = tableIn(data, 'connections') ?? {};
      const kept = new Set(connections.map(({ name }) => name));
      let edited = layout;
      for (const name of Object.keys(current)) {
        const isGone = !kept.has(name) && !malformed.has(name);
        if (isGone) edited = putKey(edited, ['connections'], name, current[name], undefined);
      }
      for (const one of connections) {
        edited = putKey(edited, ['connections'], one.name, current[one.name], connectionOnDisk(one));
      }
      return edited;
    },
    options,
  );
}

export function setCatalogs(
  notebook: Notebook,
  catalogs: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  options?: SaveOptions,
): Promise<Notebook> {
  return saveEdit(
    notebook,
    ({ data, layout }) => putTable(layout, ['catalogs'], tableIn(data, 'catalogs') ?? {}, present(catalogs)),
    options,
  );
}

/** Sets what is given of a group's entry, which is made when there is none. */
export function setVariantGroup(
  notebook: Notebook,
  group: string,
  { active, mode }: { readonly active?: string; readonly mode?: 'switch' | 'sweep' },
  options?: SaveOptions,
): Promise<Notebook> {
  return saveEdit(
    notebook,
    (parsed) => {
      const groups = parsed.file.variant_group;
      const known = groups.find((entry) => entry.group === group) ?? { group, active: '', mode: 'switch' };
      const next = { ...known, active: active ?? known.active, mode: mode ?? known.mode };
      const rest = groups.filter((entry) => entry !== known);
      return putVariantGroups(
        parsed,
        groups.includes(known) ? groups.with(groups.indexOf(known), next) : [...rest, next],
      );
    },
    options,
  );
}

export function putVariantGroups(parsed: ParsedFile, groups: readonly VariantGroupEntry[]): Layout {
  return putList(parsed, 'variant_group', 'group', groups.map(variantGroupOnDisk), ['group', 'active', 'mode']);
}

const mountKeys = ['name', 'uri', 'mode', 'pin', 'options', 'credential'];
const workerKeys = ['name', 'backend', 'runtime_id', 'config'];

/** Entries are known by their `identity` key; of one that stays only the `keys` this service knows are touched. */
function putList(
  { data, layout }: ParsedFile,
  list: string,
  identity: string,
  next: readonly TomlTable[],
  keys: readonly string[],
): Layout {
  const current = tablesIn(data, list);
  const elements = elementsOf(layout, list);
  const edited = next.map((table) => {
    const at = current.findIndex((one) => one[identity] === table[identity]);
    const element = elements[at];
    if (element === undefined) return tableBlocks([list], table, true);
    return keys.reduce((blocks, key) => putKey(blocks, [list], key, current[at]?.[key], table[key]), element);
  });
  const isSame = edited.length === elements.length && edited.every((element, at) => element === elements[at]);
  return isSame ? layout : withElements(layout, list, edited, false);
}

function putTopKey(
  notebook: Notebook,
  key: string,
  value: TomlData | undefined,
  options?: SaveOptions,
): Promise<Notebook> {
  return saveEdit(notebook, ({ data, layout }) => putKey(layout, [], key, data[key], value), options);
}

function refuseDuplicates(kind: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) throw refusals.duplicateName(kind, name);
    seen.add(name);
  }
}
