// Files that a run read and settings that it used are part of how its result came about: they enter its key, and it is current
// only as long as they are what they were.
import path from 'node:path';
import { type FilePrint, type FilePrints, isSame } from '../../files/index.ts';
import { type Effects, noEffects, type RunSettings } from '../../runtimes/index.ts';
import { labelledKey } from '../provenance/index.ts';
import type { CellResult } from '../state/index.ts';
import type { CellRun } from './cellRun.ts';

/** By path: relative to the notebook's folder where they lie in it, so that it can be moved. */
export type ReadFiles = Readonly<Record<string, FilePrint>>;

/** What a file held that was another when the run ended: no file holds this. */
export const changedMeanwhile: FilePrint = { print: 'changed while it was read' };

export async function filesRead(
  effects: Effects | undefined,
  directory: string,
  prints: FilePrints,
): Promise<ReadFiles> {
  const { read, listed, written } = effects ?? noEffects;
  // What it wrote there itself would make it look changed.
  const unchanged = listed.filter(
    ({ path: folder }) => !written.some((file) => file.startsWith(`${folder}${path.sep}`)),
  );
  const found = await Promise.all([
    ...read.map(async ({ path: file, identity }): Promise<[string, FilePrint]> => {
      const print = await prints.of(file);
      return [nameOf(file, directory), identity === null || isSame(identity, print) ? print : changedMeanwhile];
    }),
    ...unchanged.map(async ({ path: folder, identity }): Promise<[string, FilePrint]> => {
      const print = await prints.of(folder);
      const isAsListed = identity === null || identity.mtimeNs === print.mtimeNs;
      return [folderName(nameOf(folder, directory)), isAsListed ? print : changedMeanwhile];
    }),
  ]);
  return readInOrder(found);
}

/** What the run left in files that cells above had read. */
export async function filesWritten(
  effects: Effects | undefined,
  { notebookDir, readAbove }: Pick<CellRun, 'notebookDir' | 'readAbove'>,
  prints: FilePrints,
): Promise<Record<string, Pick<FilePrint, 'print'>>> {
  const { written = [] } = effects ?? {};
  if (written.length === 0) return {};
  const ofAbove = readAbove?.() ?? new Set<string>();
  const shared = written.filter((file) => ofAbove.has(nameOf(file, notebookDir)));
  const found = shared.map(async (file) => {
    const { print } = await prints.of(file);
    return [nameOf(file, notebookDir), { print }] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

/** As they stand in keys. */
export const readInOrder = (files: readonly (readonly [string, FilePrint])[]): ReadFiles =>
  Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Folders are told from files by their last letter. */
const folderName = (name: string): string => `${name === '' ? '.' : name}/`;

/** What a run was seen to depend on beside its source, environment and inputs. */
export interface Observed {
  readonly files: ReadFiles;
  readonly settings?: RunSettings | undefined;
}

/** The key of a result that read these files and used these settings; `base` is the key of its source, environment and inputs. */
export function observedKey(base: string, { files, settings }: Observed): string {
  const names = Object.entries(files).map(([name, { print }]) => `${name}=${print}`);
  const withFiles = names.length === 0 ? base : labelledKey(base, `files\0${names.join('\0')}`);
  const used = Object.entries(settings?.used ?? {}).filter(([, digest]) => digest !== null);
  if (used.length === 0) return withFiles;
  return labelledKey(withFiles, `settings\0${used.map(([name, digest]) => `${name}=${digest}`).join('\0')}`);
}

/** What a result says of this; nothing when there was nothing. */
export function observedFields(base: string, { files, settings = noSettings }: Observed): ObservedFields {
  const { used, made } = settings;
  return {
    ...(isEmpty(files) ? {} : { files }),
    ...(isEmpty(used) ? {} : { settingsUsed: used }),
    ...(isEmpty(made) ? {} : { settingsMade: made }),
    ...(observedKey(base, { files, settings }) === base ? {} : { baseKey: base }),
  };
}

type ObservedFields = Pick<CellResult, 'settingsUsed' | 'settingsMade' | 'baseKey'> & { readonly files?: ReadFiles };

const noSettings: RunSettings = { used: {}, made: {} };
const isEmpty = (record: object): boolean => Object.keys(record).length === 0;

export const nameOf = (file: string, directory: string): string => {
  const relative = path.relative(directory, file);
  return relative.startsWith('..') ? file : relative;
};
