// The packages of an R library, read from their descriptions.
import fs from 'node:fs/promises';
import path from 'node:path';
import { readPlainFile } from '../files/index.ts';

export interface RPackage {
  readonly name: string;
  readonly version: string;
}

/** renv nests a library by R's version and platform; a package is a folder with a description. */
export async function installedIn(folder: string, depth = 0): Promise<RPackage[]> {
  const entries = await fs.readdir(folder).catch(() => []);
  const places = entries.map((name) => path.join(folder, name));
  const found = (await Promise.all(places.map(describedIn))).filter((one) => one !== undefined);
  if (found.length > 0 || depth >= 4) return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  return (await Promise.all(places.map((place) => installedIn(place, depth + 1)))).flat();
}

export async function describedIn(folder: string): Promise<RPackage | undefined> {
  const text = String(await readPlainFile(path.join(folder, 'DESCRIPTION')).catch(() => ''));
  const [, name] = /^Package:\s*(\S+)/m.exec(text) ?? [];
  const [, version] = /^Version:\s*(\S+)/m.exec(text) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version };
}
