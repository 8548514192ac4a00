// Folders whose files are for whoever is told of them.
import fs from 'node:fs/promises';

/** Others of the machine go through the folder, and do not see what lies in it. Leaves alone what is not ours to change. */
export async function withoutListing(folder: string): Promise<void> {
  const { mode } = await fs.stat(folder);
  if ((mode & 0o006) !== 0) await fs.chmod(folder, mode & 0o771).catch(() => {});
}
