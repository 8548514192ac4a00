// The folder of a notebook in which the service keeps its own files. Whoever can write to a notebook could put a link there, or
// in place of a folder in it, and have the service write elsewhere: such a notebook is not opened.
import fs from 'node:fs/promises';
import path from 'node:path';
import { refusals } from '../../errors/index.ts';
import { errorCode, isLink } from './paths.ts';

const name = '.svc';

/** Links in place of single files are replaced or not read by whoever uses those. */
export async function checkRuntimeFolder(directory: string): Promise<void> {
  const folder = path.join(directory, name);
  if (await isLink(folder)) throw refusals.runtimeFolderIsLink(name);
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((one) => one.isSymbolicLink())) {
    const target = await fs.stat(path.join(folder, entry.name)).catch(() => undefined);
    if (!target?.isFile()) throw refusals.runtimeFolderIsLink(`${name}/${entry.name}`);
  }
}

/**
 * Makes the folder so that other accounts of the machine cannot list it, nor read the results in it. `isShared`: cells run
 * as another account, which reads their inputs where they lie.
 */
export async function makeRuntimeFolder(directory: string, isShared: boolean): Promise<void> {
  await fs.mkdir(path.join(directory, name), { mode: 0o711 }).catch(unlessThere);
  await fs.mkdir(path.join(directory, name, 'artifacts'), { mode: isShared ? 0o711 : 0o700 }).catch(unlessThere);
}

/** Of a folder that is made without its parents: a notebook that is being deleted must not come back. */
export function unlessThere(error: unknown): void {
  if (errorCode(error) === 'ENOENT') throw refusals.notebookDirectoryNotFound();
  if (errorCode(error) !== 'EEXIST') throw error;
}
