// Names that were given in a folder are on disk when this returns.
import fs from 'node:fs/promises';

export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
