// Where a program lies, by a search path such as the server's own. Asked again each time: what is installed later is found.
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

export function findProgram(name: string, searchPath: string = process.env.PATH ?? ''): string | undefined {
  return searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
