// Which folders of a shared server notebooks may mount: none where the server keeps its own things, nor where the machine does.
import { homedir } from 'node:os';
import path from 'node:path';
import type { Settings } from '../settings/index.ts';

export function mountRule(settings: Settings): (place: string) => string | null {
  const kept = [
    settings.artifactDir,
    settings.cacheDir,
    settings.metadataDb === null ? null : path.dirname(settings.metadataDb),
    settings.notebookStorageDir,
    homedir(),
    '/proc',
    '/sys',
    '/dev',
  ].filter((folder) => folder !== null);
  return (place) => {
    if (path.resolve(place).split(path.sep).filter(Boolean).length < 2)
      return `${place} is too close to the root of the machine to be mounted`;
    const within = kept.find((folder) => isWithin(place, folder) || isWithin(folder, place));
    return within === undefined ? null : `${place} may not be mounted on this server`;
  };
}

function isWithin(place: string, folder: string): boolean {
  const way = path.relative(folder, place);
  return way === '' || (!way.startsWith('..') && !path.isAbsolute(way));
}
