// What a run touched beside its variables, as it is kept and told: names, never contents.
import path from 'node:path';
import type { CellEffects } from '../../protocol/index.ts';
import type { Effects, RunResult } from '../../runtimes/index.ts';
import { nameOf } from './readFiles.ts';

export type ToldEffects = CellEffects;

export function toldEffects(
  { settings, remote }: Pick<RunResult, 'settings' | 'remote'>,
  effects: Effects,
  directory: string,
): ToldEffects {
  // Those in the folder of a run on a worker are named from there.
  const names = (files: readonly string[]): string[] =>
    files.map((file) => (path.isAbsolute(file) ? nameOf(file, directory) : file));
  return {
    ...effects,
    read: names(effects.read.map(({ path }) => path)),
    written: names(effects.written),
    listed: names(effects.listed.map(({ path }) => path)),
    settings_used: Object.keys(settings?.used ?? {}),
    settings_made: Object.keys(settings?.made ?? {}),
    ...(remote ? { worker: remote.worker } : {}),
  };
}

/** Whether one of two runs may have met what the other did: the order between them counts. */
export const mayMeet = (a: ToldEffects, b: ToldEffects): boolean => mayChange(a, b) || mayChange(b, a);

/** Touches nothing that another cell could meet. */
export const nothingTouched: ToldEffects = {
  read: [],
  written: [],
  listed: [],
  hosts: [],
  programs: [],
  variables: [],
  clock: false,
  entropy: false,
  unwatched: 0,
};

/** May have read any file, and changed none. */
export const anythingRead: ToldEffects = { ...nothingTouched, unwatched: 1 };

function mayChange(writer: ToldEffects, other: ToldEffects): boolean {
  const { settings_used = [], settings_made = [] } = other;
  const shared = new Set([...settings_used, ...settings_made, ...alwaysUsed]);
  if (writer.settings_made?.some((setting) => shared.has(setting))) return true;
  const { read, written, listed, hosts, programs, unwatched } = other;
  // What programs do, and what is asked of hosts, nobody sees.
  if (writer.hosts.length > 0 || writer.programs.length > 0)
    return unwatched > 0 || [read, written, listed, hosts, programs].some((names) => names.length > 0);
  if (writer.written.length > 0 && unwatched > 0) return true;
  const met = new Set([...read, ...written]);
  return writer.written.some((file) => met.has(file) || listed.some((folder) => isBelow(file, folder)));
}

/** These matter to everything that runs. */
const alwaysUsed = ['folder', 'path', 'environment', 'warnings', 'recursion limit', 'results', 'arguments'];

const isBelow = (file: string, folder: string): boolean => folder === '' || file.startsWith(`${folder}/`);
