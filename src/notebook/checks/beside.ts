// Files beside the cells that belong to a notebook: what it declares and locks of packages, and what people said about it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import type { Flaw } from '../../artifacts/index.ts';
import { makeshiftNote, readProject } from '../../environments/index.ts';
import { Refusal } from '../../errors/index.ts';
import { readOwnFile } from '../../files/index.ts';
import { commentsFile, readComments } from '../comments/index.ts';

const [projectFile, lockFile] = ['pyproject.toml', 'uv.lock'];

export async function flawsBeside(directory: string): Promise<Flaw[]> {
  return [...(await flawsOfPackages(directory)), ...(await flawsOfComments(directory))];
}

async function flawsOfPackages(directory: string): Promise<Flaw[]> {
  const { problem } = await readProject(directory);
  const flaws: Flaw[] = [];
  const isMade = await isThere(path.join(directory, '.svc/environment.json'));
  // A folder that nobody has opened yet may have none.
  if (problem !== null && (isMade || (await isThere(path.join(directory, projectFile)))))
    flaws.push({
      level: 'problem',
      code: 'packages_unreadable',
      where: projectFile,
      found: problem,
      remedy: 'Bring the file back from version control or a backup: until then no package can be added or synced.',
    });
  // One that was made without an index has no lock.
  const text = await readOwnFile(path.join(directory, lockFile)).catch(() => undefined);
  if (text === undefined && problem === null && isMade && !(await isThere(path.join(directory, makeshiftNote))))
    flaws.push({
      level: 'warning',
      code: 'lock_missing',
      where: lockFile,
      found: `${lockFile} is not there: the versions of the packages are chosen anew`,
      remedy: 'Bring the file back from version control or a backup to get the same versions, or sync the environment.',
    });
  if (text !== undefined && !isToml(String(text)))
    flaws.push({
      level: 'problem',
      code: 'lock_unreadable',
      where: lockFile,
      found: `${lockFile} is no TOML`,
      remedy: 'Bring it back from version control or a backup, or delete it: the next sync chooses versions anew.',
    });
  return flaws;
}

async function flawsOfComments(directory: string): Promise<Flaw[]> {
  try {
    await readComments(directory);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const remedy = 'Bring the file back from version control or a backup, or delete it with what it says.';
    return [{ level: 'problem', code: 'comments_unreadable', where: commentsFile, found: error.message, remedy }];
  }
}

const isThere = async (file: string): Promise<boolean> => (await fs.stat(file).catch(() => undefined)) !== undefined;

function isToml(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
