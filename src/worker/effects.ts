// What a cell touched on this machine, as it goes home with the result: names, never contents.
import path from 'node:path';
import { maxTold, type WireEffects } from '../bundle/index.ts';
import type { Effects } from '../runtimes/index.ts';

export interface OwnPlaces {
  /** All that was put here for this run and goes with it: inputs, values, output folders. */
  readonly folder: string;
  /** The cell's current folder: what lies in it is named from there. */
  readonly workDir: string;
  /** Where mounts lie: what is in them is part of the result's key already. */
  readonly mounts: readonly string[];
  /** Modules that came with the cell: likewise. */
  readonly modules: readonly string[];
}

export function effectsToTell(effects: Effects, { folder, workDir, mounts, modules }: OwnPlaces): WireEffects {
  const told = (files: readonly string[]): string[] =>
    files.flatMap((file) => {
      if (modules.includes(file)) return [];
      if (isWithin(file, workDir)) return [path.relative(workDir, file) || '.'];
      return [folder, ...mounts].some((place) => isWithin(file, place)) ? [] : [file];
    });
  const paths = (files: Effects['read']): string[] => told(files.map((file) => file.path));
  const read = paths(effects.read);
  return {
    ...effects,
    read: read.slice(0, maxTold),
    unwatched: effects.unwatched + Math.max(0, read.length - maxTold),
    written: told(effects.written).slice(0, maxTold),
    listed: paths(effects.listed).slice(0, maxTold),
  };
}

const isWithin = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}${path.sep}`);
