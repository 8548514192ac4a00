import { mkdir } from 'node:fs/promises';

/** Makes a folder where it is missing, but never the one around it: what was moved away or deleted is not made again by what lies in it. */
export const makeInside = (folder: string): Promise<void> =>
  mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
