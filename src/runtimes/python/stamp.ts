// What an environment is at the moment: installing or removing a package changes the folder that packages lie in.

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export async function environmentStamp(interpreter: string): Promise<string> {
  const library = path.join(path.dirname(path.dirname(interpreter)), 'lib');
  try {
    const versions = (await readdir(library)).filter((name) => /^python3\.\d+$/.test(name)).sort();
    const stamps = await Promise.all(versions.map((version) => stampOf(path.join(library, version, 'site-packages'))));
    return stamps.join(' ');
  } catch {
    return '';
  }
}

async function stampOf(folder: string): Promise<string> {
  try {
    const { mtimeMs, ino } = await stat(folder);
    return `${ino}:${mtimeMs}`;
  } catch {
    return '-';
  }
}
