// Files that an environment writes itself: whole or not at all, and on disk before the call returns.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { modeOfNew, readOwnFile } from '../files/index.ts';

export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readOwnFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Undefined content removes the file. */
export async function replaceFile(file: string, content: string | Uint8Array | undefined): Promise<void> {
  if (content === undefined) return fs.rm(file, { force: true });
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(16).toString('hex')}.tmp`);
  try {
    const mode = modeOfNew(file, (await fs.stat(file).catch(() => undefined))?.mode);
    const handle = await fs.open(temporary, 'wx', mode ?? 0o644);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

export async function isThere(place: string): Promise<boolean> {
  return (await fs.lstat(place).catch(() => undefined)) !== undefined;
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** Where jobs keep what they did. A notebook that was taken away meanwhile is not made again. */
export async function makeOwnFolder(directory: string): Promise<void> {
  await fs.mkdir(path.join(directory, '.svc')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
