// The plain files of a folder and of those in it. No link is followed: it may lead anywhere. Node's own recursive listing looks into
// folders that links lead to.
import fs from 'node:fs/promises';
import path from 'node:path';

/** Relative, with `/`, in order. */
export async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  const inside = [''];
  for (const place of inside)
    for (const entry of await fs.readdir(path.join(folder, place), { withFileTypes: true })) {
      const name = place === '' ? entry.name : `${place}/${entry.name}`;
      if (entry.isDirectory()) inside.push(name);
      else if (entry.isFile()) files.push(name);
    }
  return files.sort();
}
