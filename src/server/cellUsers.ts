// Who runs what a notebook brings along, where the operator names an account for it.
import path from 'node:path';
import { giveTo } from '../files/index.ts';
import { type CellUser, findUser } from '../runtimes/index.ts';
import { pythonCommand } from './analysisEngine.ts';

export interface CellUsers {
  /** Asked for once; one that could not be found is asked for again. Undefined where cells run as the server. */
  of(directory: string): () => Promise<CellUser | undefined>;
  /** The same for what belongs to no notebook. */
  readonly any: () => Promise<CellUser | undefined>;
  /** Gives a folder that was made for cells to the account that runs them. */
  lend(folder: string): Promise<void>;
}

/** Of a user that has none. */
export const homeIn = (directory: string): string => path.join(directory, '.svc/home');

export function createCellUsers(name: string | null): CellUsers {
  function userWith(home: string | null): () => Promise<CellUser | undefined> {
    let found: Promise<CellUser> | undefined;
    return async () => {
      if (name === null) return undefined;
      const interpreter = await pythonCommand();
      found ??= findUser({ name, interpreter, home }).catch((error: unknown) => {
        found = undefined;
        throw error;
      });
      return found;
    };
  }

  const any = userWith(null);
  return {
    any,
    of: (directory) => userWith(homeIn(directory)),
    async lend(folder) {
      const user = await any();
      if (user) await giveTo(user, folder);
    },
  };
}
