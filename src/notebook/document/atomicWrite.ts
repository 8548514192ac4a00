// Replaces files so that a crash at any moment leaves the old content or the new, whole, and nothing that was answered
// for is lost: the new content is on disk before it gets its name, and the name is on disk before the call returns.
import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { orTrouble, refusals } from '../../errors/index.ts';
import { holdFolder, modeOfNew } from '../../files/index.ts';
import { errorCode } from '../storage/index.ts';
import { type FileIdentity, identityNow, identityOf, noteWrite } from './ownWrites.ts';

/** A sibling that a killed writer may leave behind; no reader looks at these. */
export function isTemporary(name: string): boolean {
  return /^\..+\.[0-9a-f]{32}\.tmp$/.test(name);
}

export async function writeAtomically(file: string, content: string): Promise<void> {
  await withTemporary(file, content, async (temporary, identity) => {
    const written = noteWrite(file, content, identity);
    await fs.rename(temporary, file);
    written();
  });
}

/**
 * The same where somebody else may write too: what lies there must still be what was read, else nothing is written and the
 * answer is false. Nothing comes between the look and the replacement but another program in these microseconds.
 */
export function replaceAtomically(file: string, content: string, read: FileIdentity | undefined): Promise<boolean> {
  return withTemporary(file, content, async (temporary, identity) => {
    if (identityNow(file) !== read) {
      await fs.rm(temporary, { force: true });
      return false;
    }
    const written = noteWrite(file, content, identity);
    renameSync(temporary, file);
    written();
    return true;
  });
}

/** Leaves a file that is already there alone and answers false. */
export function createAtomically(file: string, content: string): Promise<boolean> {
  return withTemporary(file, content, async (temporary) => {
    const written = noteWrite(file, content);
    try {
      await fs.link(temporary, file);
      written();
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      return false;
    } finally {
      await fs.rm(temporary, { force: true });
    }
    return true;
  });
}

async function withTemporary<Result>(
  file: string,
  content: string,
  publish: (temporary: string, identity: FileIdentity) => Promise<Result>,
): Promise<Result> {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(16).toString('hex')}.tmp`);
  const mode = await modeOf(file);
  await using held = await holdFolder(folder).catch((error: unknown) => {
    throw storageRefusal(error);
  });
  let result: Result;
  let identity: FileIdentity;
  try {
    const handle = await fs.open(temporary, 'wx', mode);
    try {
      // The process's mask may have taken bits from the mode asked for.
      const modeSet = mode === undefined ? undefined : handle.chmod(mode);
      await Promise.all([handle.writeFile(content, 'utf8'), modeSet]);
      await handle.sync();
      identity = identityOf(await handle.stat());
    } finally {
      await handle.close();
    }
    result = await publish(temporary, identity);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw storageRefusal(error);
  }
  await held.sync();
  return result;
}

/** What the storage itself does not allow, in words; anything else stays the error it is. */
export function storageRefusal(error: unknown): unknown {
  switch (errorCode(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return refusals.pathForbidden('notebook path');
    default:
      return orTrouble(error);
  }
}

export async function removeDurably(file: string): Promise<void> {
  await using held = await holdFolder(path.dirname(file));
  const removed = noteWrite(file, null);
  await fs.rm(file, { force: true });
  removed();
  await held.sync();
}

async function modeOf(file: string): Promise<number | undefined> {
  const found = await fs.lstat(file).catch(() => undefined);
  return modeOfNew(file, found?.isFile() ? found.mode : undefined);
}
