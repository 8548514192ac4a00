// Tables for an R without arrow, converted by the data process.
import { z } from 'zod';
import type { Engine } from './engine.ts';

const schema = z.object({ rows: z.int() });
const timeoutMs = 600_000;

/** `engine` is asked for when a table has to pass: it may not be ready before. */
export const frameText = (engine: () => Pick<Engine, 'request'>) => ({
  async toText(file: string, folder: string): Promise<void> {
    await engine().request('frame_to_text', { file, folder }, { schema, timeoutMs });
  },
  async fromText(folder: string, file: string): Promise<void> {
    await engine().request('frame_from_text', { folder, file }, { schema, timeoutMs });
  },
});
