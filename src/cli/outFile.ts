// A file that the user asked for: whole under its name, or not there.
import fs from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { intoFile } from '../files/index.ts';
import { UsageError } from './failure.ts';
import { interruptible } from './interrupt.ts';

export async function writeOut(file: string, content: string | NodeJS.ReadableStream): Promise<void> {
  const target = path.resolve(file);
  const part = `${target}.part`;
  const source = typeof content === 'string' ? Readable.from([content]) : content;
  await interruptible(async (signal) => {
    try {
      await pipeline(source, intoFile(part), { signal });
      await fs.rename(part, target);
    } catch (error) {
      await fs.rm(part, { force: true });
      throw new UsageError(`${target} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
}
