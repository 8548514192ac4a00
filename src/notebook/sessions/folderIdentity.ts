// Which folder it is that stands at a path.
import { statSync } from 'node:fs';
import fs from 'node:fs/promises';

/** Tells a folder from another that stands at its place later; undefined where there is none. */
export async function folderIdentity(directory: string): Promise<string | undefined> {
  const found = await fs.stat(directory, { bigint: true }).catch(() => undefined);
  return found && `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** The same at once, for whoever is about to write; `unseen` where it cannot be looked at. When a folder was made is not asked, which some file systems tell anew after each change. */
export function folderNow(directory: string): string | undefined {
  try {
    const found = statSync(directory, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  } catch {
    return 'unseen'; // a disk that does not answer, or rights that were taken: it may be there again in a moment
  }
}
