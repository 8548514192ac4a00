// Names that were given in a folder are on disk when this returns.
import { constants } from 'node:fs';
import fs from 'node:fs/promises';

/** Opening a pipe that stands there would wait for somebody to write into it. */
const asFolder = constants.O_RDONLY | constants.O_DIRECTORY;

export async function syncFolder(folder: string): Promise<void> {
  await using held = await holdFolder(folder);
  await held.sync();
}

export interface HeldFolder extends AsyncDisposable {
  sync(): Promise<void>;
}

/** For whoever is about to give a name there: that no more files can be opened is learnt before, and not when it is done. */
export async function holdFolder(folder: string): Promise<HeldFolder> {
  const handle = await fs.open(folder, asFolder);
  return { sync: () => handle.sync(), [Symbol.asyncDispose]: () => handle.close() };
}
