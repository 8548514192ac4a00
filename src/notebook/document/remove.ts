// Deletes a notebook directory with everything in it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { removeLent, syncFolder } from '../../files/index.ts';
import { isLink } from '../storage/index.ts';
import { notebookFilePath } from './files.ts';
import { inTurnAt } from './save.ts';

/** Refuses a link and a directory without a notebook file: neither is a notebook to delete. */
export function deleteNotebook(directory: string): Promise<void> {
  return inTurnAt(directory, async () => {
    if (await isLink(directory)) throw refusals.notebookDirectoryIsLink();
    const file = await fs.lstat(notebookFilePath(directory)).catch(() => undefined);
    if (file === undefined) throw refusals.notebookFileNotFound(directory);
    // The notebook file first: what a crash leaves behind is then no notebook that opens half empty.
    await fs.rm(notebookFilePath(directory));
    await removeLent(directory);
    await syncFolder(path.dirname(directory));
  });
}
