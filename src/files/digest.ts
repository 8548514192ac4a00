// The digest of a file. A large one is not held in memory; of small ones there may be a thousand, and a stream costs more than they do.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** As much as a stream holds. */
const maxHeldBytes = 64 * 1024;

/** `size`: where it is known. */
export async function digestOfFile(file: string, size = Number.POSITIVE_INFINITY): Promise<string> {
  const hash = createHash('sha256');
  if (size <= maxHeldBytes) return hash.update(await readFile(file)).digest('hex');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
