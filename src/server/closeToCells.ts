// Where cells run as a user of their own, what the server keeps for itself is closed to that user: keys, what others have stored,
// rows of tables that were read. Cells get what they may have by way of the server, or as copies in their notebook.
import fs from 'node:fs';
import path from 'node:path';
import type { Settings } from '../settings/index.ts';

const passage = 0o001;

export function closeToCells(settings: Settings): void {
  const ofCells = [settings.notebookStorageDir, settings.notebookSharedEnvDir, settings.notebookMountCacheDir];
  for (const folder of [settings.artifactDir, settings.cacheDir].filter((place) => place !== null)) {
    fs.mkdirSync(folder, { recursive: true });
    const leadsToCells = ofCells.some((place) => place !== null && isWithin(place, folder));
    const { mode } = fs.statSync(folder);
    fs.chmodSync(folder, (mode & 0o770) | (leadsToCells ? passage : 0));
  }
}

function isWithin(place: string, folder: string): boolean {
  const way = path.relative(folder, place);
  return way === '' || (!way.startsWith('..') && !path.isAbsolute(way));
}
