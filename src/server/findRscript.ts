// Where R's own launcher lies, by the search path of the server; looked for once.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

let found: string | null | undefined;

export function findRscript(): string | undefined {
  found ??= lookFor() ?? null;
  return found ?? undefined;
}

function lookFor(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, 'Rscript')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
