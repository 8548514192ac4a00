// What happens below a folder while a cell runs, seen by the data process: the kernel tells it.
import { z } from 'zod';
import type { Engine } from './engine.ts';

const seenSchema = z.object({ opened: z.array(z.string()), changed: z.array(z.string()), isWhole: z.boolean() });
const timeoutMs = 60_000;

/** Absolute paths, sorted; `isWhole`: nothing can have been missed. */
export type SeenFiles = z.infer<typeof seenSchema>;

export interface FolderWatch {
  end(): Promise<SeenFiles>;
}

/** `engine` is asked for when a folder is to be watched: it may not be ready before. An engine that fails has seen nothing. */
export const folderWatches =
  (engine: () => Pick<Engine, 'request'>) =>
  async (folder: string): Promise<FolderWatch> => {
    const number = await ask('watch_folder', { folder }, z.int());
    return {
      end: async () =>
        (number === undefined ? undefined : await ask('watched_folder', { number }, seenSchema)) ?? nothingSeen,
    };

    async function ask<T>(operation: string, params: object, schema: z.ZodType<T>): Promise<T | undefined> {
      try {
        return await engine().request(operation, { ...params }, { schema, timeoutMs });
      } catch {
        return undefined;
      }
    }
  };

const nothingSeen: SeenFiles = { opened: [], changed: [], isWhole: false };
