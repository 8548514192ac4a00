// Which folder it is that stands at a path.
import fs from 'node:fs/promises';

/** Tells a folder from another that stands at its place later; undefined where there is none. */
export async function folderIdentity(directory: string): Promise<string | undefined> {
  const found = await fs.stat(directory, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
